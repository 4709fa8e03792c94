import Tensors

/// A convolution of 8-bit integers whose sums become float32 numbers.
///
/// y = activation(float32(conv(x − x_zero_point, w − w_zero_point) + offset) · scale + bias), where conv is ``Conv``;
/// the padding is x_zero_point.
///
/// Shapes: x [N, C, spatial…], w [M, C / group, kernel…] (8-bit integers), x_zero_point scalar, w_zero_point scalar or
/// [M] (both optional), scale of one element (float32), offset of M elements (int32), bias [M] (float32; both
/// optional) → [N, M, spatial…] (float32).
/// Attributes: those of ``Conv``.
/// Numerics: sums of integers wrap around in 32 bits; they are rounded to float32 once.
/// Reference: the pattern that `onnxruntime.quantization.quantize_dynamic` writes around ``ConvInteger``,
/// https://onnxruntime.ai/docs/performance/model-optimizations/quantization.html
package struct ConvIntegerToFloat: ActivationFusing {
    package static let name = "ConvIntegerToFloat"
    package static let domain = "apus"
    package static let inputCount = 5...7
    /// The positions of scale, offset and bias among the inputs.
    package static let scalePosition = 4
    package static let offsetPosition = 5
    package static let biasPosition = 6
    package var sums: ConvInteger
    package var activation: Activation?

    package init(_ sums: ConvInteger, activation: Activation? = nil) {
        self.sums = sums
        self.activation = activation
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }

    package var attributes: [String: AttributeValue] { sums.attributes }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let shape = try sums.outputTypes(for: Array(inputs.prefix(Self.scalePosition)))[0].shape
        let scale = try inputs.required(Self.scalePosition)
        guard scale.elementType == .float32, scale.elementCount == 1 else {
            throw .invalid("scale is \(scale.elementType)\(scale.shape); one number of float32 is expected")
        }
        if let offset = inputs.optional(Self.offsetPosition) {
            guard offset.elementType == .int32, offset.elementCount == shape[1] else {
                throw .invalid("offset \(offset.elementType)\(offset.shape) does not fit the sums \(shape)")
            }
        }
        if let bias = inputs.optional(Self.biasPosition) {
            guard bias.elementType == .float32, bias.shape == [shape[1]] else {
                throw .invalid("bias \(bias.elementType)\(bias.shape) does not fit the sums \(shape)")
            }
        }
        return [TensorType(.float32, shape)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        sums.cost(inputs: Array(inputs.prefix(Self.scalePosition)), outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let shape = outputTypes[0].shape
        let integers = try sums.evaluate(
            Array(inputs.prefix(Self.scalePosition)), outputTypes: [TensorType(.int32, shape)])[0]
            .elements(as: Int32.self)
        let scale = try inputs.required(Self.scalePosition).elements(as: Float.self)[0]
        let offsets = inputs.optional(Self.offsetPosition)?.elements(as: Int32.self) ?? []
        let pixels = shape[2...].reduce(1, *)
        let y = try Tensor(TensorType(.float32, shape)) { y in
            for index in y.indices {
                let offset = offsets.isEmpty ? 0 : offsets[index / pixels % shape[1]]
                y[index] = Double(Float(integers[index] &+ offset) * scale)
            }
            MatrixProduct.finish(
                y, bias: inputs.optional(Self.biasPosition)?.float64Elements ?? [], extent: pixels, activation)
        }
        return [y]
    }
}
