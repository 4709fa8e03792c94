import Tensors

/// Elements of one tensor where a condition is true, and of another where it is false.
///
/// y = condition ? a : b
///
/// Shapes: condition (bool), a, b → the shape that all broadcast to.
/// Reference: https://onnx.ai/onnx/operators/onnx__Where.html
package struct Where: BroadcastingOperator, AttributeFree {
    package static let name = "Where"
    package static let inputCount = 3...3

    package init() {}

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let condition = try inputs.required(0)
        guard condition.elementType == .bool else {
            throw .invalid("input 0 is \(condition.elementType); bool is expected")
        }
        try inputs.expectSameElementType(1..<3)
        return [TensorType(try inputs.required(1).elementType, try resultShape(inputs))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let type = outputTypes[0]
        let operands = try operands(inputs, type.shape)
        let condition = operands[0].elements(as: Bool.self)
        func select<Element: TensorElement>(_: Element.Type) throws -> Tensor {
            let (a, b) = (operands[1].elements(as: Element.self), operands[2].elements(as: Element.self))
            return try Tensor(condition.indices.map { condition[$0] ? a[$0] : b[$0] }, shape: type.shape)
        }
        return [try select(type.elementType.swiftType)]
    }
}
