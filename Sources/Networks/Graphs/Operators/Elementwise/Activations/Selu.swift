/// The scaled exponential linear unit.
///
/// y = gamma · x where x > 0, otherwise gamma · alpha · (eˣ − 1)
///
/// Shapes: any → the same.
/// Attributes: `alpha` (1.67326319), `gamma` (1.05070102).
/// Reference: https://onnx.ai/onnx/operators/onnx__Selu.html
package struct Selu: ElementwiseUnary {
    package static let name = "Selu"
    package var alpha: Float
    package var gamma: Float

    package init(alpha: Float = 1.67326319, gamma: Float = 1.05070102) {
        self.alpha = alpha
        self.gamma = gamma
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        alpha = try attributes.float("alpha", default: 1.67326319)
        gamma = try attributes.float("gamma", default: 1.05070102)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if alpha != 1.67326319 { values["alpha"] = .float(alpha) }
        if gamma != 1.05070102 { values["gamma"] = .float(gamma) }
        return values
    }

    package var kernelFunction: KernelFunction { KernelFunction(Self.name, alpha: alpha, beta: gamma) }

    package func apply(_ x: Double) -> Double {
        Double(gamma) * (x > 0 ? x : Double(alpha) * x.exponentialMinusOne)
    }
}
