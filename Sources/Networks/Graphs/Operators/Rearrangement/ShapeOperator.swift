import Tensors

/// The extents of a tensor: ONNX's `Shape`.
///
/// y = [d_start, …, d_(end − 1)]
///
/// Shapes: any → [end − start], int64.
/// Attributes: `start` (0), `end` (rank); negative numbers count from the end, and both are clipped to the rank.
/// Reference: https://onnx.ai/onnx/operators/onnx__Shape.html
package struct ShapeOperator: Operator {
    package static let name = "Shape"
    package static let inputCount = 1...1
    package var start: Int
    package var end: Int?

    package init(start: Int = 0, end: Int? = nil) {
        self.start = start
        self.end = end
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        self.init(start: try attributes.int("start", default: 0), end: try attributes.int("end"))
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if start != 0 { values["start"] = .int(Int64(start)) }
        if let end { values["end"] = .int(Int64(end)) }
        return values
    }

    private func extents(_ shape: [Int]) -> [Int64] {
        func position(_ axis: Int) -> Int { min(max(axis < 0 ? axis + shape.count : axis, 0), shape.count) }
        let (first, last) = (position(start), position(end ?? shape.count))
        return first < last ? shape[first..<last].map(Int64.init) : []
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let extents = extents(try inputs.required(0).shape)
        return [TensorType(try .constant(extents, shape: [extents.count]))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let extents = extents(try inputs.required(0).shape)
        return [try Tensor(extents, shape: [extents.count])]
    }
}
