/// Sets numbers near zero to zero, and moves others towards zero.
///
/// y = x + bias where x < −lambd, x − bias where x > lambd, otherwise 0
///
/// Shapes: any → the same.
/// Attributes: `bias` (0), `lambd` (0.5).
/// Numerics: an integer's result is rounded towards zero.
/// Reference: https://onnx.ai/onnx/operators/onnx__Shrink.html
package struct Shrink: ElementwiseUnary {
    package static let name = "Shrink"
    package static let acceptsIntegers = true
    package var bias: Float
    package var threshold: Float

    package init(bias: Float = 0, threshold: Float = 0.5) {
        self.bias = bias
        self.threshold = threshold
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        bias = try attributes.float("bias", default: 0)
        threshold = try attributes.float("lambd", default: 0.5)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if bias != 0 { values["bias"] = .float(bias) }
        if threshold != 0.5 { values["lambd"] = .float(threshold) }
        return values
    }

    package var kernelFunction: KernelFunction { KernelFunction(Self.name, alpha: threshold, beta: bias) }

    package func apply(_ x: Double) -> Double {
        let (bias, threshold) = (Double(bias), Double(threshold))
        return x < -threshold ? x + bias : x > threshold ? x - bias : 0
    }

    package func apply<Number: FixedWidthInteger>(_ x: Number) -> Number {
        Number(exactly: apply(Double(x)).rounded(.towardZero)) ?? x
    }
}
