import Tensors

/// The mean of the elements under a window that slides over each channel.
///
/// y[n, c, o] = Σ_k x[n, c, o · stride + k · dilation − pad] / count, where count is the number of k on the input, or
/// with `count_include_pad` on the input and its padding; positions that `ceil_mode` adds beyond the padding never
/// count.
///
/// Shapes: x [N, C, spatial…] → [N, C, spatial…].
/// Attributes: `kernel_shape`, `count_include_pad` (0) and those of ``SpatialWindow``.
/// Numerics: sums in float64; a window that lies wholly in the padding gives 0.
/// Reference: https://onnx.ai/onnx/operators/onnx__AveragePool.html
package struct AveragePool: Pooling {
    package static let name = "AveragePool"
    package static let inputCount = 1...1
    package var window: SpatialWindow
    package var countIncludePad: Bool

    package init(
        kernel: [Int], strides: [Int] = [], dilations: [Int] = [], pads: [Int] = [],
        autoPad: SpatialWindow.AutoPad = .notSet, ceilMode: Bool = false, countIncludePad: Bool = false
    ) {
        window = SpatialWindow(
            kernel: kernel, strides: strides, dilations: dilations, pads: pads, autoPad: autoPad, ceilMode: ceilMode)
        self.countIncludePad = countIncludePad
    }

    package init(window: SpatialWindow, countIncludePad: Bool = false) {
        self.window = window
        self.countIncludePad = countIncludePad
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        window = try Self.readWindow(&attributes)
        countIncludePad = try attributes.bool("count_include_pad", default: false)
    }

    package var attributes: [String: AttributeValue] {
        var values = window.attributes
        if countIncludePad { values["count_include_pad"] = .int(1) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [try pooledType(try inputs.floatingPoint(0))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let geometry = try geometry(x: x.shape).inThreeAxes()
        let pixels = x.float64Elements
        let y = try Tensor(outputTypes[0]) { y in
            pixels.withUnsafeBufferPointer { pixels in
                forEachWindow(x, geometry) { position, plane, origin in
                    var sum = 0.0
                    geometry.forEachTap(at: origin) { sum += pixels[plane + $0] }
                    let count = geometry.tapCount(at: origin, includingPadding: countIncludePad)
                    y[position] = count > 0 ? sum / count : 0
                }
            }
        }
        return [y]
    }
}
