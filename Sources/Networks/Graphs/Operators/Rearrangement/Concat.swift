import Tensors

/// Tensors joined along an axis.
///
/// y = x₀ ‖ x₁ ‖ …
///
/// Shapes: tensors that differ at most along `axis` → the same with the sum of their extents along `axis`.
/// Attributes: `axis` (required).
/// Reference: https://onnx.ai/onnx/operators/onnx__Concat.html
package struct Concat: Operator {
    package static let name = "Concat"
    package static let inputCount = 1...Int.max
    package var axis: Int

    package init(axis: Int) {
        self.axis = axis
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        guard let axis = try attributes.int("axis") else {
            throw .invalid("attribute \"axis\" is missing")
        }
        self.axis = axis
    }

    package var attributes: [String: AttributeValue] { ["axis": .int(Int64(axis))] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        var result = try inputs.required(0)
        result.constant = nil
        try inputs.expectSameElementType(0..<inputs.count)
        let axis = try Axes.resolve(axis, rank: result.rank)
        for index in inputs.indices.dropFirst() {
            let type = try inputs.required(index)
            guard type.rank == result.rank else {
                throw .invalid("inputs disagree on the number of axes: \(result.rank) and \(type.rank)")
            }
            for other in type.shape.indices where other != axis && type.shape[other] != result.shape[other] {
                throw .invalid(
                    "inputs disagree on \(Self.name(of: other, rank: type.rank)): \(result.shape[other]) and "
                        + "\(type.shape[other])")
            }
            let (sum, overflow) = result.shape[axis].addingReportingOverflow(type.shape[axis])
            guard !overflow else { throw .invalid("the extents along axis \(axis) are too large") }
            result.shape[axis] = sum
        }
        return [result]
    }

    /// The name of an axis of an image, for messages.
    private static func name(of axis: Int, rank: Int) -> String {
        rank == 4 ? ["batch size", "channels", "height", "width"][axis] : "axis \(axis)"
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let type = outputTypes[0]
        let axis = try Axes.resolve(axis, rank: type.rank)
        let size = type.elementType.byteCount
        let rows = type.shape[..<axis].reduce(1, *)
        let pitch = type.shape[axis...].reduce(1, *) * size
        let y = try Tensor(type.elementType, shape: type.shape) { target in
            guard !target.isEmpty, let start = target.baseAddress else { return }
            var position = 0
            for index in inputs.indices {
                let x = try inputs.required(index)
                let length = x.shape[axis...].reduce(1, *) * size
                try x.withContiguousBytes { bytes in
                    guard length > 0, let source = bytes.baseAddress else { return }
                    for row in 0..<rows {
                        (start + row * pitch + position).copyMemory(from: source + row * length, byteCount: length)
                    }
                }
                position += length
            }
        }
        return [y]
    }
}
