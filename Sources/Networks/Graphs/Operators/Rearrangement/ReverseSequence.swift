import Tensors

/// The first elements of every sequence of a batch in reverse order.
///
/// y[b, t] = x[b, lens[b] − 1 − t] where t < lens[b], otherwise x[b, t]; b runs along `batch_axis`, t along
/// `time_axis`.
///
/// Shapes: x with at least two axes, lens [batch] → x's.
/// Attributes: `batch_axis` (1), `time_axis` (0).
/// Errors: a length outside 0...time.
/// Reference: https://onnx.ai/onnx/operators/onnx__ReverseSequence.html
package struct ReverseSequence: Operator {
    package static let name = "ReverseSequence"
    package static let inputCount = 2...2
    package var batchAxis: Int
    package var timeAxis: Int

    package init(batchAxis: Int = 1, timeAxis: Int = 0) {
        self.batchAxis = batchAxis
        self.timeAxis = timeAxis
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        batchAxis = try attributes.int("batch_axis", default: 1)
        timeAxis = try attributes.int("time_axis", default: 0)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = batchAxis == 1 ? [:] : ["batch_axis": .int(Int64(batchAxis))]
        if timeAxis != 0 { values["time_axis"] = .int(Int64(timeAxis)) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, lengths) = (try inputs.required(0), try inputs.indices(1))
        let axes = try Axes.resolve([batchAxis, timeAxis], rank: x.rank)
        guard lengths.shape == [x.shape[axes[0]]] else {
            throw .invalid("lengths \(lengths.shape) do not fit axis \(axes[0]) of \(x.shape)")
        }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (x, lengths) = (try inputs.required(0), try inputs.required(1))
        let axes = try Axes.resolve([batchAxis, timeAxis], rank: x.shape.count)
        let time = x.shape[axes[1]]
        var places: [Int] = []
        try Tensor.claim(x.shape)
        for length in lengths.elements(as: Int64.self) {
            guard length >= 0, length <= Int64(time) else {
                throw OperatorError.invalid("length \(length) lies outside 0...\(time)")
            }
            places += (0..<time).map { $0 < Int(length) ? Int(length) - 1 - $0 : $0 }
        }
        let strides = Shape.rowMajorStrides(x.shape)
        var others = strides
        others[axes[1]] = 0
        var positions = Tensor.offsets(x.shape, others)
        for index in positions.indices {
            let (batch, step) = (
                index / strides[axes[0]] % x.shape[axes[0]], index / strides[axes[1]] % x.shape[axes[1]]
            )
            positions[index] += places[batch * time + step] * strides[axes[1]]
        }
        return [try x.gatheringRuns(positions, length: 1, shape: x.shape)]
    }
}
