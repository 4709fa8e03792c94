/// The p-norm of each channel.
///
/// y[n, c] = (Σ |x[n, c, …]|ᵖ)^(1/p)
///
/// Shapes: [N, C, spatial…] → [N, C, 1…].
/// Attributes: `p` (2).
/// Numerics: sums in float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__GlobalLpPool.html
package struct GlobalLpPool: GlobalPooling {
    package static let name = "GlobalLpPool"
    package var norm: PowerNorm

    package init() {
        norm = PowerNorm()
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        norm = try PowerNorm(&attributes)
    }

    package var attributes: [String: AttributeValue] { norm.attributes }

    package func apply(_ channel: ArraySlice<Double>) -> Double {
        norm.finish(channel.reduce(0) { $0 + norm.term($1) })
    }
}
