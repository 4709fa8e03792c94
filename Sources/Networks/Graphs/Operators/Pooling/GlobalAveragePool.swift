/// The mean of each channel.
///
/// y[n, c] = Σ x[n, c, …] / area
///
/// Shapes: [N, C, spatial…] → [N, C, 1…].
/// Numerics: sums in float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html
package struct GlobalAveragePool: GlobalPooling {
    package static let name = "GlobalAveragePool"

    package init() {}

    package func apply(_ channel: ArraySlice<Double>) -> Double { channel.reduce(0, +) / Double(channel.count) }
}
