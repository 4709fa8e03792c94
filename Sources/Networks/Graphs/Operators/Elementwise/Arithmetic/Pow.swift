import Tensors

/// The power.
///
/// y = xᵉ
///
/// Shapes: x, e → the shape that both broadcast to; the element type is x's.
/// Numerics: an integer to an integer power is exact and wraps around; a negative power of an integer is rounded
/// towards zero; other pairs are computed in float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__Pow.html
package struct Pow: BroadcastingOperator, AlignedOperator {
    package static let name = "Pow"
    package static let inputCount = 2...2
    package var alignment: OperandAlignment?

    package init() {}

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [TensorType(try inputs.required(0).elementType, try resultShape(inputs))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let type = outputTypes[0]
        let operands = try operands(inputs, type.shape)
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            let pairs = zip(operands[0].elements(as: Number.self), operands[1].elements(as: Int64.self))
            return try Tensor(pairs.map { Self.power($0, $1) }, shape: type.shape)
        }
        if let integer = type.elementType.integerType, !operands[1].elementType.isFloatingPoint {
            return [try integers(integer)]
        }
        let pairs = zip(operands[0].float64Elements, operands[1].float64Elements)
        return [try Tensor(pairs.map { $0.raised(to: $1) }, as: type.elementType, shape: type.shape)]
    }

    /// The power by repeated squaring.
    static func power<Number: FixedWidthInteger>(_ base: Number, _ exponent: Int64) -> Number {
        if exponent < 0 {
            if base == 1 { return 1 }
            guard Number.isSigned, base == 0 &- 1 else { return 0 }
            return exponent & 1 == 0 ? 1 : base
        }
        var (result, square, remaining) = (Number(1), base, exponent)
        while remaining > 0 {
            if remaining & 1 == 1 { result = result &* square }
            square = square &* square
            remaining >>= 1
        }
        return result
    }
}
