import Tensors

/// Integers with every bit inverted.
///
/// y = ¬x
///
/// Shapes: any → the same.
/// Reference: https://onnx.ai/onnx/operators/onnx__BitwiseNot.html
package struct BitwiseNot: AttributeFree {
    package static let name = "BitwiseNot"
    package static let inputCount = 1...1

    package init() {}

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard x.elementType.integerType != nil else {
            throw .invalid("input 0 is \(x.elementType); integers are expected")
        }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        func inverted<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            try Tensor(x.elements(as: Number.self).map { ~$0 }, shape: x.shape)
        }
        guard let integer = x.elementType.integerType else { return [] }
        return [try inverted(integer)]
    }
}
