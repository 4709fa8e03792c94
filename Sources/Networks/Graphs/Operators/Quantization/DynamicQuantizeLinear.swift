import Tensors

/// Quantizes numbers to 8-bit integers, with the scale and zero point that follow from their range.
///
/// scale = (max(0, max x) − min(0, min x)) / 255, zero_point = round(−min(0, min x) / scale), y = round(x / scale) +
/// zero_point, the last two clipped to 0...255.
///
/// Shapes: x any → y of x's shape (uint8), scale (float32 scalar), zero_point (uint8 scalar).
/// Numerics: float32, halves rounded to the even integer; where every number is 0, so is the scale; NaN gives the zero
/// point.
/// Reference: https://onnx.ai/onnx/operators/onnx__DynamicQuantizeLinear.html
package struct DynamicQuantizeLinear: AttributeFree {
    package static let name = "DynamicQuantizeLinear"
    package static let inputCount = 1...1
    package static let outputCount = 1...3

    package init() {}

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.floatingPoint(0)
        return [TensorType(.uint8, x.shape), TensorType(.float32, []), TensorType(.uint8, [])]
    }

    /// Scale and zero point of numbers from `low`, at most 0, to `high`, at least 0.
    package static func parameters(low: Float, high: Float) -> (scale: Float, zeroPoint: UInt8) {
        let scale = (high - low) / 255
        return (scale, scale == 0 ? 0 : UInt8(saturating: Double((-low / scale).rounded(.toNearestOrEven))))
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let values = x.elements(as: Float.self)
        let (low, high) = values.reduce((Float(0), Float(0))) { (min($0.0, $1), max($0.1, $1)) }
        let (scale, zeroPoint) = Self.parameters(low: low, high: high)
        let y = values.map { value in
            let quotient = scale == 0 ? 0 : (value / scale).rounded(.toNearestOrEven)
            return UInt8(saturating: Double(quotient.isNaN ? 0 : quotient) + Double(zeroPoint))
        }
        return [
            try Tensor(y, shape: x.shape), try Tensor([scale], shape: []), try Tensor([zeroPoint], shape: []),
        ]
    }
}
