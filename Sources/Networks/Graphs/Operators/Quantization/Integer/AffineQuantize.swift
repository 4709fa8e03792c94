import Tensors

/// Quantizes floating-point numbers with one scale and zero point: y = clamp(round(x / scale) + zero_point).
///
/// Shapes: x any → x's.
/// Attributes: `scale`, `zero_point`, `element_type`.
/// Numerics: the quotient is that of float32; halves are rounded away from zero, where ``QuantizeLinear`` rounds them
/// to the even integer. NaN gives the zero point.
/// Reference: https://ai.google.dev/edge/litert/models/quantization_spec
package struct AffineQuantize: Operator {
    package static let name = "AffineQuantize"
    package static let domain = "apus"
    package static let inputCount = 1...1
    package var scale: Float
    package var zeroPoint: Int32
    package var elementType: ElementType

    package init(scale: Float, zeroPoint: Int32, elementType: ElementType) {
        self.scale = scale
        self.zeroPoint = zeroPoint
        self.elementType = elementType
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }

    package var attributes: [String: AttributeValue] {
        ["scale": .float(scale), "zero_point": .int(Int64(zeroPoint)), "element_type": .string(elementType.rawValue)]
    }

    /// The integer for one number.
    package func callAsFunction(_ x: Float) -> Int32 {
        guard let range = elementType.quantizedRange, !x.isNaN else { return zeroPoint }
        let rounded = Double((x / scale).rounded(.toNearestOrAwayFromZero)) + Double(zeroPoint)
        return Int32(min(max(rounded, Double(range.lowerBound)), Double(range.upperBound)))
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        guard elementType.quantizedRange != nil, scale > 0, scale.isFinite else {
            throw .invalid("\(elementType) with the scale \(scale) holds no quantized numbers")
        }
        return [TensorType(elementType, try inputs.floatingPoint(0).shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let values = x.elements(as: Float.self).map { Int64(self($0)) }
        return [try Tensor(values, as: elementType, shape: x.shape)]
    }
}
