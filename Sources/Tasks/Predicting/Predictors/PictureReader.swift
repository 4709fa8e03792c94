import Platform
import Preparation
import Tensors

/// A predictor that reads the answer to each picture from the outputs for it alone.
package protocol PictureReader: TaskPredictor {
    /// The outputs of the network.
    var outputs: PictureOutputs { get }

    /// The answer to one picture.
    ///
    /// - Parameter rows: The outputs in the network's order, without the axis of the batch.
    /// - Throws: ``RecordError`` or `TensorError`.
    func answer(from rows: [Tensor], to picture: PreparedPicture) throws -> Answer
}

extension PictureReader {
    package func runs(of pictures: [PreparedPicture]) throws(ApusError) -> [[String: Tensor]] {
        let areJoined = outputs.isBatched && !self.pictures.input.takesSinglePictures
        let groups = areJoined ? [pictures] : pictures.map { [$0] }
        return try groups.map { (group) throws(ApusError) in try joined(group) }
    }

    package func answers(
        from results: [[String: Tensor]], to pictures: [PreparedPicture]
    ) async throws(ApusError) -> [Result<Answer, RecordError>] {
        let rows = try outputs.rows(of: results, count: pictures.count)
        do {
            return try await self.pictures.executor.run { [self] in
                zip(rows, pictures).map { row, picture in
                    RecordError.catching { try answer(from: row, to: picture) }
                }
            }
        } catch {
            throw ApusError(error, model: session.model.name)
        }
    }
}
