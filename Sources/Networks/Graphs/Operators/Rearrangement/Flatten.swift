import Tensors

/// A tensor seen as a matrix.
///
/// Shapes: [d₀, …, dₙ] → [d₀ · … · d₍axis−1₎, d₍axis₎ · … · dₙ].
/// Attributes: `axis` (1), from −rank to rank.
/// Reference: https://onnx.ai/onnx/operators/onnx__Flatten.html
package struct Flatten: Operator {
    package static let name = "Flatten"
    package static let inputCount = 1...1
    package var axis: Int

    package init(axis: Int = 1) {
        self.axis = axis
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axis = try attributes.int("axis", default: 1)
    }

    package var attributes: [String: AttributeValue] { axis == 1 ? [:] : ["axis": .int(Int64(axis))] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        let axis = axis == x.rank ? axis : try Axes.resolve(axis, rank: x.rank)
        return [
            TensorType(
                x.elementType,
                [Array(x.shape[..<axis]).saturatingProduct, Array(x.shape[axis...]).saturatingProduct])
        ]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        [try inputs.required(0).reshaped(to: outputTypes[0].shape)]
    }
}
