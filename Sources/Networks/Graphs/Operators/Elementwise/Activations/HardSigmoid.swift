/// A piecewise linear approximation of the logistic function.
///
/// y = max(0, min(1, alpha · x + beta))
///
/// Shapes: any → the same.
/// Attributes: `alpha` (0.2), `beta` (0.5).
/// Numerics: NaN stays NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__HardSigmoid.html
package struct HardSigmoid: ElementwiseUnary {
    package static let name = "HardSigmoid"
    package var alpha: Float
    package var beta: Float

    package init(alpha: Float = 0.2, beta: Float = 0.5) {
        self.alpha = alpha
        self.beta = beta
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        alpha = try attributes.float("alpha", default: 0.2)
        beta = try attributes.float("beta", default: 0.5)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if alpha != 0.2 { values["alpha"] = .float(alpha) }
        if beta != 0.5 { values["beta"] = .float(beta) }
        return values
    }

    package var kernelFunction: KernelFunction { KernelFunction(Self.name, alpha: alpha, beta: beta) }

    package func apply(_ x: Double) -> Double { (Double(alpha) * x + Double(beta)).clipped(0, 1) }
}
