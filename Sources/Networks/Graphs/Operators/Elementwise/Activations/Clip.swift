import Tensors

/// Numbers clipped to two bounds.
///
/// y = min(max(x, min), max)
///
/// Shapes: x any; min, max scalars (optional) → x's.
/// Attributes: `min` and `max` (the ends of the range) where inputs do not give them.
/// Numerics: NaN stays NaN; where min > max the result is max.
/// Reference: https://onnx.ai/onnx/operators/onnx__Clip.html
package struct Clip: Operator {
    package static let name = "Clip"
    package static let inputCount = 1...3
    package var min: Float?
    package var max: Float?

    package init(min: Float? = nil, max: Float? = nil) {
        self.min = min
        self.max = max
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        min = try attributes.float("min")
        max = try attributes.float("max")
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if let min { values["min"] = .float(min) }
        if let max { values["max"] = .float(max) }
        return values
    }

    /// The bounds, when they are attributes or inputs whose content is known before the network runs.
    package func bounds(_ inputs: [TensorType?]) -> (low: Float, high: Float)? {
        func bound(_ index: Int, _ attribute: Float?, _ fallback: Float) -> Float? {
            guard let type = inputs.optional(index) else { return attribute ?? fallback }
            return type.constant?.elements(as: Float.self).first
        }
        guard let low = bound(1, min, -.infinity), let high = bound(2, max, .infinity) else { return nil }
        return (low, high)
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        try inputs.expectSameElementType(0..<3)
        guard x.elementType != .bool else { throw .invalid("input 0 is bool; numbers are expected") }
        for (index, name) in [(1, "min"), (2, "max")] {
            guard let bound = inputs.optional(index), bound.elementCount != 1 else { continue }
            throw .invalid("\"\(name)\" has the shape \(bound.shape); a scalar is expected")
        }
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let (lowest, highest) = (inputs.optional(1), inputs.optional(2))
        func integers<Number: FixedWidthInteger & TensorElement>(_: Number.Type) throws -> Tensor {
            let low = lowest?.elements(as: Number.self).first ?? min.map { Number(saturating: Double($0)) } ?? .min
            let high = highest?.elements(as: Number.self).first ?? max.map { Number(saturating: Double($0)) } ?? .max
            return try Tensor(x.elements(as: Number.self).map { Swift.min(Swift.max($0, low), high) }, shape: x.shape)
        }
        if let type = x.elementType.integerType { return [try integers(type)] }
        let low = lowest?.float64Elements.first ?? Double(min ?? -.infinity)
        let high = highest?.float64Elements.first ?? Double(max ?? .infinity)
        let values = x.float64Elements.map { $0.isNaN ? $0 : Swift.min(Swift.max($0, low), high) }
        return [try Tensor(values, as: x.elementType, shape: x.shape)]
    }
}
