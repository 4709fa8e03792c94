import Tensors

/// The slices of a tensor that a condition keeps.
///
/// y = x's slices along `axis`, or without `axis` its elements, for which condition is true
///
/// Shapes: x any, condition [K], K ≤ the extent → x's shape with the number of true values along `axis`, or [that].
/// Attributes: `axis` (none: the elements in row-major order).
/// Reference: https://onnx.ai/onnx/operators/onnx__Compress.html
package struct Compress: Operator {
    package static let name = "Compress"
    package static let inputCount = 2...2
    package var axis: Int?

    package init(axis: Int? = nil) {
        self.axis = axis
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axis = try attributes.int("axis")
    }

    package var attributes: [String: AttributeValue] { axis.map { ["axis": .int(Int64($0))] } ?? [:] }

    /// The kept positions among `extent`.
    private func kept(_ condition: Tensor, extent: Int) throws(OperatorError) -> [Int] {
        guard condition.elementType == .bool, condition.shape.count == 1, condition.elementCount <= extent else {
            throw .invalid("the condition is \(TensorType(condition)) for \(extent) slices")
        }
        return condition.elements(as: Bool.self).enumerated().filter(\.element).map(\.offset)
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard let condition = try inputs.required(1).constant else {
            throw .undetermined("the content of the condition")
        }
        guard let axis else {
            return [TensorType(x.elementType, [try kept(condition, extent: x.elementCount).count])]
        }
        let resolved = try Axes.resolve(axis, rank: x.rank)
        var shape = x.shape
        shape[resolved] = try kept(condition, extent: shape[resolved]).count
        return [TensorType(x.elementType, shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        var x = try inputs.required(0)
        if axis == nil { x = try x.reshaped(to: [x.elementCount]) }
        let axis = try Axes.resolve(axis ?? 0, rank: x.shape.count)
        let positions = try kept(try inputs.required(1), extent: x.shape[axis])
        let indices = try Tensor(positions.map(Int64.init), shape: [positions.count])
        return try Gather(axis: axis).evaluate([x, indices], outputTypes: outputTypes)
    }
}
