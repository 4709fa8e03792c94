/// Whether elements are equal.
///
/// y = (a = b)
///
/// Shapes: a, b → bool of the shape that both broadcast to.
/// Attributes: `broadcast` (0) and `axis` before version 7.
/// Numerics: a comparison with NaN is false.
/// Reference: https://onnx.ai/onnx/operators/onnx__Equal.html
package struct Equal: BroadcastingComparison {
    package static let name = "Equal"
    package var alignment: OperandAlignment?

    package init() {}

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        alignment = try .read(&attributes)
    }

    package func holds<Number: Comparable>(_ a: Number, _ b: Number) -> Bool { a == b }
}
