import Tensors

/// Dropout in inference, where nothing is dropped.
///
/// y = x, mask = true
///
/// Shapes: x any; ratio, training_mode scalars (optional, not used) → y and mask of x's shape.
/// Attributes: `seed` is not used; a training_mode of true is not supported.
/// Reference: https://onnx.ai/onnx/operators/onnx__Dropout.html
package struct Dropout: Operator {
    package static let name = "Dropout"
    package static let inputCount = 1...3
    package static let outputCount = 1...2
    /// Whether the mask holds truth values and not numbers of x's element type.
    package var hasBooleanMask: Bool

    package init() {
        hasBooleanMask = true
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("seed")
        hasBooleanMask = true
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        if let mode = inputs.optional(2) {
            guard let content = mode.constant else { throw .undetermined("the content of \"training_mode\"") }
            try refuseTraining(content)
        }
        return [TensorType(x.elementType, x.shape), TensorType(hasBooleanMask ? .bool : x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        try refuseTraining(inputs.optional(2))
        let mask = try Tensor([true], shape: [1]).broadcast(to: x.shape).contiguous()
        return [x, try mask.converted(to: outputTypes.count > 1 ? outputTypes[1].elementType : .bool)]
    }

    private func refuseTraining(_ mode: Tensor?) throws(OperatorError) {
        guard mode?.elements(as: Bool.self).first != true else { throw .unsupported("\"training_mode\" true") }
    }
}
