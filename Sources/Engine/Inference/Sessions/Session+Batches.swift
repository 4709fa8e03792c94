import Graphs
import Platform
import Tensors

extension Session {
    /// Runs the network on records of one image each, as one batch, or one by one where axis 0 is not a batch, so that
    /// no record changes the outputs of another.
    ///
    /// - Parameter batch: For every record, a tensor for every input. The first extent is 1, and the others are equal
    ///   for all records. An empty batch gives an empty result.
    /// - Returns: For every record its outputs, in the same order.
    /// - Throws: As `predict(_:)`; also ``ApusError/usage(_:)`` when an output does not have one
    ///   row per record.
    public func predict(_ batch: [[String: Tensor]]) async throws(ApusError) -> [[String: Tensor]] {
        guard !batch.isEmpty else { return [] }
        if batch.count == 1 || takesBatches {
            return try records(of: try await predict(try stacked(batch)), count: batch.count)
        }
        var results: [[String: Tensor]] = []
        for record in batch { results += try records(of: try await predict(try stacked([record])), count: 1) }
        return results
    }

    /// Runs the network on records of one image each, as one batch, on the calling thread.
    ///
    /// - Parameter batch: For every record, a tensor for every input, as for the asynchronous method.
    /// - Returns: For every record its outputs, in the same order.
    /// - Throws: As `predict(_:)`, and ``ApusError/usage(_:)`` when an output does not have one row
    ///   per record.
    @available(*, noasync, message: "a task awaits its predictions")
    public func predictSynchronously(_ batch: [[String: Tensor]]) throws(ApusError) -> [[String: Tensor]] {
        guard !batch.isEmpty else { return [] }
        if batch.count == 1 || takesBatches {
            return try records(of: try predictSynchronously(try stacked(batch)), count: batch.count)
        }
        var results: [[String: Tensor]] = []
        for record in batch { results += try records(of: try predictSynchronously(try stacked([record])), count: 1) }
        return results
    }

    /// The rows of the outputs of a batch of `count` records.
    private func records(of outputs: [String: Tensor], count: Int) throws(ApusError) -> [[String: Tensor]] {
        for (name, tensor) in outputs where tensor.shape.first != count {
            throw .usage(
                "\(model.name): output \"\(name)\" is \(tensor.shape), not one row for each of \(count) records")
        }
        do {
            return try (0..<count).map { index in
                try outputs.mapValues { try $0.sliced(axis: 0, index..<index + 1).contiguous() }
            }
        } catch {
            throw ApusError(error, model: model.name)
        }
    }

    /// The records of a batch as one tensor for every input.
    private func stacked(_ batch: [[String: Tensor]]) throws(ApusError) -> [String: Tensor] {
        let records = try batch.map { record throws(ApusError) in try ordered(record) }
        var inputs: [String: Tensor] = [:]
        for (index, id) in model.graph.inputs.enumerated() {
            let name = model.graph[id].name
            let tensors = records.map { $0[index] }
            for tensor in tensors {
                guard tensor.shape.first == 1, tensor.shape == tensors[0].shape else {
                    throw .usage(
                        "\(model.name): input \"\(name)\" of a record is \(tensor.shape); the records of a batch have "
                            + "an extent of 1 along the first axis and otherwise equal extents")
                }
            }
            do {
                inputs[name] = try Tensor(stacking: tensors)
            } catch {
                throw ApusError(error, model: model.name)
            }
        }
        return inputs
    }
}
