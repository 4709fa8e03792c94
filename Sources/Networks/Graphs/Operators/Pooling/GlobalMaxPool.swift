/// The largest element of each channel.
///
/// y[n, c] = max x[n, c, …]
///
/// Shapes: [N, C, spatial…] → [N, C, 1…].
/// Numerics: NaN wins over every number.
/// Reference: https://onnx.ai/onnx/operators/onnx__GlobalMaxPool.html
package struct GlobalMaxPool: GlobalPooling {
    package static let name = "GlobalMaxPool"

    package init() {}

    package func apply(_ channel: ArraySlice<Double>) -> Double {
        channel.reduce(-.infinity) { $1.isNaN || $1 > $0 ? $1 : $0 }
    }
}
