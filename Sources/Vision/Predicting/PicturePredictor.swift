import Inference
import Platform
import Tensors

/// What a ``BatchRunner`` takes pictures through.
package protocol PicturePredictor: Sendable {
    var session: Session { get }
    /// The names of the classes, when known.
    var labels: Labels? { get }
    /// How pictures become numbers.
    var pictures: PicturePreparation { get }
    /// What answers hold.
    var content: ImageAnswer.Content { get }
    /// What answers depend on beside the model, the labels and the preprocessing.
    var settings: [String: String] { get }
    /// What results in COCO's form call the classes.
    var categoryIDs: [Int]? { get }

    /// The inputs of every run that prepared pictures of equal extents take: one for all, or one for each.
    func runs(of pictures: [PreparedPicture]) throws(ApusError) -> [[String: Tensor]]

    /// What the outputs of those runs say about each picture.
    func answers(
        from outputs: [[String: Tensor]], to pictures: [PreparedPicture]
    ) async throws(ApusError) -> [Result<ImageAnswer, RecordError>]
}

extension PicturePredictor {
    package var content: ImageAnswer.Content { .classes }
    package var settings: [String: String] { [:] }
    package var categoryIDs: [Int]? { nil }

    package func runs(of pictures: [PreparedPicture]) throws(ApusError) -> [[String: Tensor]] { [try joined(pictures)] }

    /// Prepared pictures of equal extents as one batch.
    package func joined(_ prepared: [PreparedPicture]) throws(ApusError) -> [String: Tensor] {
        do {
            return [pictures.input.name: try Tensor(stacking: prepared.map(\.tensor))]
        } catch {
            throw ApusError(error, model: session.model.name)
        }
    }
}
