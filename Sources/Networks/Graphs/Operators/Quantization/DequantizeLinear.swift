import Tensors

/// The numbers that quantized integers represent.
///
/// y = (x − zero_point) · scale
///
/// Shapes: x any; scale and zero_point (optional) both scalars, [D] along `axis`, or x's with ⌈D / block_size⌉ along
/// `axis` → x's, with scale's element type.
/// Attributes: `output_dtype` (scale's element type) and those of ``QuantizationGrid``.
/// Numerics: float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html
package struct DequantizeLinear: Operator {
    package static let name = "DequantizeLinear"
    package static let inputCount = 2...3
    package var grid: QuantizationGrid
    package var elementType: ElementType?

    package init(grid: QuantizationGrid = QuantizationGrid(), elementType: ElementType? = nil) {
        self.grid = grid
        self.elementType = elementType
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        grid = try QuantizationGrid(&attributes)
        elementType = try attributes.elementType("output_dtype")
    }

    package var attributes: [String: AttributeValue] {
        var values = grid.attributes
        if let elementType { values["output_dtype"] = .elementType(elementType) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard x.elementType != .bool else { throw .invalid("input 0 is bool; numbers are expected") }
        let scale = try inputs.floatingPoint(1)
        try grid.check(scale.shape, for: x.shape, "scale")
        if let zeroPoint = inputs.optional(2) {
            guard zeroPoint.elementCount == scale.elementCount, zeroPoint.elementType == x.elementType else {
                throw .invalid("zero_point \(zeroPoint) does not fit x \(x) and scale \(scale)")
            }
            try grid.check(zeroPoint.shape, for: x.shape, "zero_point")
        }
        return [TensorType(elementType ?? scale.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        if let weights = try slices(x, inputs, outputTypes[0]) { return [weights] }
        let scales = try grid.expanded(try inputs.required(1), to: x.shape)
        let zeroPoint = try inputs.optional(2).map { try grid.expanded($0, to: x.shape) }
        var values = try x.centered(zeroPoint).float64Elements
        for (index, scale) in scales.float64Elements.enumerated() { values[index] *= scale }
        return [try Tensor(values, as: outputTypes[0].elementType, shape: x.shape)]
    }

    /// Dequantizes 8-bit integers with one scale, or one for each slice, in float32, which gives the rounded products
    /// of float64; nil for others.
    private func slices(_ x: Tensor, _ inputs: [Tensor?], _ type: TensorType) throws -> Tensor? {
        let scale = try inputs.required(1)
        guard x.elementType.byteCount == 1, x.elementType.quantizedRange != nil, type.elementType == .float32,
            scale.elementType == .float32, grid.blockSize == 0, x.elementCount > 0,
            scale.elementCount == 1 || scale.shape.count == 1
        else { return nil }
        let axis = grid.axis < 0 ? grid.axis + x.shape.count : grid.axis
        let inner = scale.elementCount == 1 ? x.elementCount : x.shape[(axis + 1)...].reduce(1, *)
        let scales = scale.elements(as: Float.self)
        let points = inputs.optional(2)?.elements(as: Int32.self) ?? [0]
        try Tensor.claim(x.shape)
        var values = x.elements(as: Int32.self).map { Float($0) }
        for (slice, first) in stride(from: 0, to: values.count, by: inner).enumerated() {
            let channel = slice % scales.count
            let (factor, point) = (scales[channel], Float(points[points.count == 1 ? 0 : channel]))
            for index in first..<first + inner { values[index] = (values[index] - point) * factor }
        }
        return try Tensor(values, shape: x.shape)
    }
}
