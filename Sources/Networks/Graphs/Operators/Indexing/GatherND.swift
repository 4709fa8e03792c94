import Tensors

/// Slices selected by tuples of coordinates.
///
/// y[b…, i…, s…] = x[b…, indices[b…, i…, :], s…], where b are the first `batch_dims` axes.
///
/// Shapes: x [b…, …], indices [b…, i…, k] → [b…, i…, x's axes after b and the next k].
/// Attributes: `batch_dims` (0).
/// Errors: an index outside its axis; negative indices count from the end.
/// Reference: https://onnx.ai/onnx/operators/onnx__GatherND.html
package struct GatherND: Operator {
    package static let name = "GatherND"
    package static let inputCount = 2...2
    package var batchAxes: Int

    package init(batchAxes: Int = 0) {
        self.batchAxes = batchAxes
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        batchAxes = try attributes.int("batch_dims", default: 0)
        guard batchAxes >= 0 else {
            throw .invalid("attribute \"batch_dims\" is \(batchAxes); at least 0 is expected")
        }
    }

    package var attributes: [String: AttributeValue] {
        batchAxes == 0 ? [:] : ["batch_dims": .int(Int64(batchAxes))]
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, indices) = (try inputs.required(0), try inputs.indices(1))
        guard batchAxes < indices.rank, batchAxes <= x.rank,
            x.shape[..<batchAxes] == indices.shape[..<batchAxes]
        else {
            throw .invalid("x \(x.shape) and indices \(indices.shape) do not share their first \(batchAxes) axes")
        }
        let slice = try CoordinateTuples.slice(indices.shape, of: x.shape, batchAxes: batchAxes)
        return [TensorType(x.elementType, indices.shape.dropLast() + slice)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (x, indices) = (try inputs.required(0), try inputs.required(1))
        let positions = try CoordinateTuples.positions(indices, in: x.shape, batchAxes: batchAxes)
        let slice = try CoordinateTuples.slice(indices.shape, of: x.shape, batchAxes: batchAxes)
        return [try x.gatheringRuns(positions, length: slice.elementCount, shape: outputTypes[0].shape)]
    }
}
