/// The Gaussian error linear unit.
///
/// y = x/2 · (1 + erf(x / √2)), or with `approximate` tanh y = x/2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³))).
///
/// Shapes: any → the same.
/// Attributes: `approximate` (none).
/// Numerics: at −∞ its limit, −0.
/// Reference: https://onnx.ai/onnx/operators/onnx__Gelu.html
package struct Gelu: ElementwiseUnary {
    package static let name = "Gelu"
    package var isApproximate: Bool

    package init(isApproximate: Bool = false) {
        self.isApproximate = isApproximate
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        let mode = try attributes.string("approximate") ?? "none"
        guard mode == "none" || mode == "tanh" else {
            throw .invalid("attribute \"approximate\" is \"\(mode)\"; none or tanh is expected")
        }
        isApproximate = mode == "tanh"
    }

    package var attributes: [String: AttributeValue] { isApproximate ? ["approximate": .string("tanh")] : [:] }

    package var kernelFunction: KernelFunction { KernelFunction(isApproximate ? "GeluTanh" : Self.name) }

    package func apply(_ x: Double) -> Double {
        guard isApproximate else { return x.gated((1 + (x / 2.0.squareRoot()).errorFunction) / 2) }
        return x.gated((1 + ((2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x)).hyperbolicTangent) / 2)
    }
}
