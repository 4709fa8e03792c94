import Tensors

/// The same numbers with the element type of another tensor.
///
/// y = x
///
/// Shapes: x any, target any → x's.
/// Attributes: `saturate`, `round_mode` as ``Cast`` has them.
/// Numerics: those of ``Cast``.
/// Reference: https://onnx.ai/onnx/operators/onnx__CastLike.html
package struct CastLike: Operator {
    package static let name = "CastLike"
    package static let inputCount = 2...2

    package var saturates: Bool
    package var roundMode: String

    package init(saturates: Bool = true, roundMode: String = "up") {
        self.saturates = saturates
        self.roundMode = roundMode
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        saturates = try attributes.bool("saturate", default: true)
        roundMode = try attributes.string("round_mode") ?? "up"
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = saturates ? [:] : ["saturate": .int(0)]
        if roundMode != "up" { values["round_mode"] = .string(roundMode) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [TensorType(try inputs.required(1).elementType, try inputs.required(0).shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let cast = Cast(to: outputTypes[0].elementType, saturates: saturates, roundMode: roundMode)
        return [try cast.converted(try inputs.required(0))]
    }
}
