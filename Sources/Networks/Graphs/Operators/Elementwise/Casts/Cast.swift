import Tensors

/// The same numbers with another element type.
///
/// y = x
///
/// Shapes: any → the same.
/// Attributes: `to` (required; an element type); `saturate` (1: what is too large for eight bits becomes the largest
/// number, otherwise infinity or NaN); `round_mode` (`up`, `down` or `nearest`; for powers of two).
/// Numerics: floating-point numbers are rounded towards zero and kept in the integer's range, NaN becomes 0; an integer
/// keeps its low bits; everything but 0 is true. For integers of two and four bits, floating-point numbers are rounded
/// to the nearest whole number, halves to the even one, whose low bits are kept.
/// Reference: https://onnx.ai/onnx/operators/onnx__Cast.html
package struct Cast: Operator {
    package static let name = "Cast"
    package static let inputCount = 1...1
    package var to: ElementType
    package var saturates: Bool
    package var roundMode: String

    package init(to: ElementType, saturates: Bool = true, roundMode: String = "up") {
        self.to = to
        self.saturates = saturates
        self.roundMode = roundMode
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        saturates = try attributes.bool("saturate", default: true)
        roundMode = try attributes.string("round_mode") ?? "up"
        guard let type = try attributes.elementType("to") else { throw .invalid("attribute \"to\" is missing") }
        to = type
    }

    package var attributes: [String: AttributeValue] {
        var values = ["to": AttributeValue.elementType(to)]
        if !saturates { values["saturate"] = .int(0) }
        if roundMode != "up" { values["round_mode"] = .string(roundMode) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [TensorType(to, try inputs.required(0).shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        [try converted(try inputs.required(0))]
    }

    /// The tensor, converted to the element type `to`.
    package func converted(_ x: Tensor) throws -> Tensor {
        func truncated<Source: FixedWidthInteger & TensorElement, Target: FixedWidthInteger & TensorElement>(
            _: Source.Type, _: Target.Type
        ) throws -> Tensor {
            try Tensor(x.elements(as: Source.self).map { Target(truncatingIfNeeded: $0) }, shape: x.shape)
        }
        if let source = x.elementType.integerType, let target = to.integerType {
            return try truncated(source, target)
        }
        func overflowing<Number: SmallFloat>(_: Number.Type) throws -> Tensor {
            try Tensor(x.float64Elements.map { Number(overflowing: $0) }, shape: x.shape)
        }
        func low<Number: SmallInteger>(_: Number.Type) throws -> Tensor {
            let whole =
                x.elementType.isFloatingPoint
                ? try Tensor(x.float64Elements.map { $0.rounded(.toNearestOrEven) }, shape: x.shape) : x
            return try Tensor(whole.elements(as: Int64.self).map { Number(truncating: $0) }, shape: x.shape)
        }
        switch to.swiftType {
        case let small as any SmallFloat.Type where !saturates: return try overflowing(small)
        case let small as any SmallInteger.Type: return try low(small)
        case is Float8E8M0.Type:
            let rule: FloatingPointRoundingRule =
                roundMode == "up" ? .up : roundMode == "down" ? .down : .toNearestOrAwayFromZero
            return try Tensor(x.float64Elements.map { Float8E8M0($0, rounding: rule) }, shape: x.shape)
        default: return try x.converted(to: to)
        }
    }
}
