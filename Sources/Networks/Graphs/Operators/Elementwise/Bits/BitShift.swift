/// Integers with shifted bits.
///
/// y = a · 2ᵇ (LEFT) or ⌊a / 2ᵇ⌋ (RIGHT)
///
/// Shapes: a, b → the shape that both broadcast to.
/// Attributes: `direction` (required).
/// Numerics: bits shifted beyond the end are lost. Where b is negative or at least the number of the type's bits, all
/// are lost, and y is the sign of a (RIGHT) or 0.
/// Reference: https://onnx.ai/onnx/operators/onnx__BitShift.html
package struct BitShift: BroadcastingBits {
    package enum Direction: String, Sendable, CaseIterable {
        case left = "LEFT"
        case right = "RIGHT"
    }

    package static let name = "BitShift"
    package var direction: Direction

    package init(direction: Direction) {
        self.direction = direction
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        guard let direction: Direction = try attributes.choice("direction") else {
            throw .invalid("attribute \"direction\" is missing")
        }
        self.direction = direction
    }

    package var attributes: [String: AttributeValue] { ["direction": .string(direction.rawValue)] }

    package func combine<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number {
        guard b >= 0 else { return direction == .right && a < 0 ? ~0 : 0 }
        return direction == .left ? a << b : a >> b
    }
}
