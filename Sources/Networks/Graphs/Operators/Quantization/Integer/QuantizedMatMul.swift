import Tensors

/// The product of rows, which are quantized first, with 8-bit weights. The result is float32.
///
/// y = activation(Σₖ (q[…, k] − z) · (b[k, j] − b_zero_point) · (s · b_scale[j]) + bias[j] + addend), with q, s and z
/// of ``InputQuantization``.
///
/// Shapes: a […, M, K] (float32, or 8-bit integers), b [K, N] (int8 or uint8), b_scale scalar or [N], bias [N], addend
/// […, M, N] (both optional) → […, M, N] (float32).
/// Attributes: those of the quantization, `b_zero_point`.
/// Numerics: sums of integers are exact.
/// Reference: the pattern that `onnxruntime.quantization.quantize_dynamic` writes,
/// https://onnxruntime.ai/docs/performance/model-optimizations/quantization.html
package struct QuantizedMatMul: ActivationFusing {
    package static let name = "QuantizedMatMul"
    package static let domain = "apus"
    package static let inputCount = 3...5
    /// The positions of scale, bias and addend among the inputs.
    package static let scalePosition = 2
    package static let biasPosition = 3
    package static let addendPosition = 4
    package var quantization: InputQuantization
    package var weightZeroPoint: Int32
    package var activation: Activation?

    package init(_ quantization: InputQuantization, weightZeroPoint: Int32 = 0, activation: Activation? = nil) {
        self.quantization = quantization
        self.weightZeroPoint = weightZeroPoint
        self.activation = activation
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }

    package var attributes: [String: AttributeValue] {
        var values = quantization.attributes
        if weightZeroPoint != 0 { values["b_zero_point"] = .int(Int64(weightZeroPoint)) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (a, b) = (try inputs.required(0), try inputs.required(1))
        try quantization.check(a.elementType)
        guard b.elementType == .int8 || b.elementType == .uint8 else {
            throw .invalid("input 1 is \(b.elementType); 8-bit integers are expected")
        }
        guard a.rank >= 2, b.rank == 2, a.shape[a.rank - 1] == b.shape[0] else {
            throw .invalid("a \(a.shape) times b \(b.shape) is not defined")
        }
        let (columns, shape) = (b.shape[1], Array(a.shape.dropLast()) + [b.shape[1]])
        let scale = try inputs.required(Self.scalePosition)
        guard scale.shape == [columns] || scale.shape.isEmpty else {
            throw .invalid("b_scale \(scale.shape) does not fit b \(b.shape)")
        }
        if let bias = inputs.optional(Self.biasPosition), bias.shape != [columns] {
            throw .invalid("bias \(bias.shape) does not fit the result \(shape)")
        }
        if let addend = inputs.optional(Self.addendPosition), addend.shape != shape {
            throw .invalid("addend \(addend.shape) does not fit the result \(shape)")
        }
        for position in Self.scalePosition...Self.addendPosition {
            guard let type = inputs.optional(position), type.elementType != .float32 else { continue }
            throw .invalid("input \(position) is \(type.elementType); float32 is expected")
        }
        return [TensorType(.float32, shape)]
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        MatMul().cost(inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let type = outputTypes[0]
        let (a, b) = (try inputs.required(0), try inputs.required(1))
        let (depth, columns) = (b.shape[0], b.shape[1])
        let (integers, rowScales) = try quantization.quantized(a, depth: depth)
        let left = try Tensor(integers, shape: a.shape)
        let right = try b.centered(try .constant([weightZeroPoint], shape: []))
        let sums = try MatMul().evaluate([left, right], outputTypes: [TensorType(.float64, type.shape)])[0]
            .elements(as: Double.self)
        let scales = try inputs.required(Self.scalePosition).elements(as: Float.self)
        let y = try Tensor(type) { y in
            for index in y.indices {
                let (row, column) = index.quotientAndRemainder(dividingBy: columns)
                // Rows without elements have no scale.
                let rowScale = rowScales.isEmpty ? 1 : rowScales[rowScales.count == 1 ? 0 : row]
                y[index] = sums[index] * Double(rowScale * scales[scales.count == 1 ? 0 : column])
            }
            MatrixProduct.finish(
                y, bias: inputs.optional(Self.biasPosition)?.float64Elements ?? [],
                addend: inputs.optional(Self.addendPosition)?.float64Elements ?? [], extent: 1, activation)
        }
        return [y]
    }
}
