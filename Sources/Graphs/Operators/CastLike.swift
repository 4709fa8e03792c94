import Tensors

/// The same numbers with the element type of another tensor.
///
/// y = x
///
/// Shapes: x any, target any → x's.
/// Attributes: `saturate` is not used.
/// Numerics: those of ``Cast``.
/// Reference: https://onnx.ai/onnx/operators/onnx__CastLike.html
package struct CastLike: AttributeFree {
    package static let name = "CastLike"
    package static let inputCount = 2...2

    package init() {}

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("saturate", "round_mode")
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [TensorType(try inputs.required(1).elementType, try inputs.required(0).shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        try Cast(to: outputTypes[0].elementType).evaluate([try inputs.required(0)], outputTypes: outputTypes)
    }
}
