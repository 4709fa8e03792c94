import Tensors

/// Quantizes numbers to integers, with a scale and a zero point.
///
/// y = round(x / scale) + zero_point, clipped to the range of y's element type
///
/// Shapes: x any; scale and zero_point (optional) both scalars, [D] along `axis`, or x's with ⌈D / block_size⌉ along
/// `axis` → x's.
/// Attributes: `output_dtype` (zero_point's element type, or uint8), `saturate` (1) as ``Cast`` has it, `precision` is
/// not used, and those of ``QuantizationGrid``.
/// Numerics: the quotient is rounded to float32 (float64 where x is), its halves to the even integer; to floating-point
/// numbers of eight bits and less it is rounded as ``Cast`` does.
/// Reference: https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
package struct QuantizeLinear: Operator {
    package static let name = "QuantizeLinear"
    package static let inputCount = 2...3
    package var grid: QuantizationGrid
    package var elementType: ElementType?
    package var saturates: Bool

    package init(
        grid: QuantizationGrid = QuantizationGrid(), elementType: ElementType? = nil, saturates: Bool = true
    ) {
        self.grid = grid
        self.elementType = elementType
        self.saturates = saturates
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("precision")
        saturates = try attributes.bool("saturate", default: true)
        grid = try QuantizationGrid(&attributes)
        elementType = try attributes.elementType("output_dtype")
    }

    package var attributes: [String: AttributeValue] {
        var values = grid.attributes
        if let elementType { values["output_dtype"] = .elementType(elementType) }
        if !saturates { values["saturate"] = .int(0) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        guard x.elementType.isFloatingPoint || x.elementType == .int32 else {
            throw .invalid("input 0 is \(x.elementType); floating-point numbers or int32 are expected")
        }
        let scale = try inputs.floatingPoint(1)
        try grid.check(scale.shape, for: x.shape, "scale")
        var result = elementType ?? .uint8
        if let zeroPoint = inputs.optional(2) {
            guard zeroPoint.elementCount == scale.elementCount else {
                throw .invalid("zero_point \(zeroPoint.shape) does not have the shape of scale \(scale.shape)")
            }
            try grid.check(zeroPoint.shape, for: x.shape, "zero_point")
            guard zeroPoint.elementType == elementType ?? zeroPoint.elementType else {
                throw .invalid("zero_point is \(zeroPoint.elementType), not \(result) as \"output_dtype\" says")
            }
            result = zeroPoint.elementType
        }
        guard result.integerType != nil || result.isSmall else { throw .unsupported("quantization to \(result)") }
        return [TensorType(result, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let scales = try grid.expanded(try inputs.required(1), to: x.shape)
        let zeroPoint = try inputs.optional(2).map { try grid.expanded($0, to: x.shape) }
        try Tensor.claim(x.shape)
        let result = outputTypes[0].elementType
        let isRounded = !result.isFloatingPoint
        func quotients<Number: BinaryFloatingPoint & TensorElement>(_: Number.Type) -> [Double] {
            zip(x.elements(as: Number.self), scales.elements(as: Number.self)).map {
                Double(isRounded ? ($0 / $1).rounded(.toNearestOrEven) : $0 / $1)
            }
        }
        var values = x.elementType == .float64 ? quotients(Double.self) : quotients(Float.self)
        if let points = zeroPoint?.float64Elements {
            for index in values.indices { values[index] += points[index] }
        }
        guard isRounded else {
            return [try Cast(to: result, saturates: saturates).converted(try Tensor(values, shape: x.shape))]
        }
        return [try Tensor(values, as: result, shape: x.shape)]
    }
}

extension ElementType {
    /// Whether elements are numbers of eight bits or fewer without a native Swift type.
    fileprivate var isSmall: Bool { swiftType is any SmallFloat.Type || swiftType is any SmallInteger.Type }
}
