import Tensors

/// The same bits read as another element type.
///
/// Shapes: any → the same.
/// Attributes: `to` (required; an element type with as many bits).
/// Numerics: exact; everything but 0 is true.
/// Reference: https://onnx.ai/onnx/operators/onnx__BitCast.html
package struct BitCast: Operator {
    package static let name = "BitCast"
    package static let inputCount = 1...1
    package var to: ElementType

    package init(to: ElementType) {
        self.to = to
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        guard let type = try attributes.elementType("to") else { throw .invalid("attribute \"to\" is missing") }
        to = type
    }

    package var attributes: [String: AttributeValue] { ["to": .elementType(to)] }

    /// Types of fewer than eight bits, whose elements take a byte each.
    private static let narrowTypes: Set<ElementType> = [.int4, .uint4, .int2, .uint2, .float4e2m1]

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        if x.elementType != to {
            guard x.elementType.byteCount == to.byteCount else {
                throw .invalid("\(x.elementType) and \(to) have not as many bits")
            }
            guard Self.narrowTypes.isDisjoint(with: [x.elementType, to]) else {
                throw .unsupported("the bits of \(x.elementType) as \(to)")
            }
        }
        return [TensorType(to, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        // A Bool must have the bits of 0 or 1.
        let target = to == .bool ? ElementType.uint8 : to
        let bits = Tensor(
            elementType: target, shape: x.shape, strides: x.strides, offset: x.offset, storage: x.storage)
        return [to == .bool ? try Cast(to: .bool).converted(bits) : bits]
    }
}
