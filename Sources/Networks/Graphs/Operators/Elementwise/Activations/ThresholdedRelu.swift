/// The rectified linear unit with a threshold.
///
/// y = x where x > alpha, otherwise 0
///
/// Shapes: any → the same.
/// Attributes: `alpha` (1).
/// Reference: https://onnx.ai/onnx/operators/onnx__ThresholdedRelu.html
package struct ThresholdedRelu: ElementwiseUnary {
    package static let name = "ThresholdedRelu"
    package var alpha: Float

    package init(alpha: Float = 1) {
        self.alpha = alpha
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        alpha = try attributes.float("alpha", default: 1)
    }

    package var attributes: [String: AttributeValue] {
        alpha == 1 ? [:] : ["alpha": .float(alpha)]
    }

    package var kernelFunction: KernelFunction { KernelFunction(Self.name, alpha: alpha) }

    package func apply(_ x: Double) -> Double { x > Double(alpha) ? x : 0 }
}
