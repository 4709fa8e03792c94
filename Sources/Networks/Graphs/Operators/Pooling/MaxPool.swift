import Tensors

/// The largest element under a window that slides over each channel, and optionally its index.
///
/// y[n, c, o] = max_k x[n, c, o · stride + k · dilation − pad] over the k that lie on the input.
///
/// Shapes: x [N, C, spatial…] → y [N, C, spatial…], indices (int64, into all of x) of the same shape.
/// Attributes: `kernel_shape`, `storage_order` (0: row-major indices; 1: the last axis varies slowest in a channel) and
/// those of ``SpatialWindow``.
/// Numerics: NaN wins over every number; a window that lies wholly in the padding gives −∞.
/// Reference: https://onnx.ai/onnx/operators/onnx__MaxPool.html
package struct MaxPool: Pooling {
    package static let name = "MaxPool"
    package static let inputCount = 1...1
    package static let outputCount = 1...2
    package var window: SpatialWindow
    /// Whether indices count a channel's elements with the last axis slowest.
    package var isColumnMajor: Bool

    package init(
        kernel: [Int], strides: [Int] = [], dilations: [Int] = [], pads: [Int] = [],
        autoPad: SpatialWindow.AutoPad = .notSet, ceilMode: Bool = false
    ) {
        window = SpatialWindow(
            kernel: kernel, strides: strides, dilations: dilations, pads: pads, autoPad: autoPad, ceilMode: ceilMode)
        isColumnMajor = false
    }

    package init(window: SpatialWindow) {
        self.window = window
        isColumnMajor = false
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        window = try Self.readWindow(&attributes)
        isColumnMajor = try attributes.bool("storage_order", default: false)
    }

    package var attributes: [String: AttributeValue] {
        var values = window.attributes
        if isColumnMajor { values["storage_order"] = .int(1) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        let y = try pooledType(x)
        return [y, TensorType(.int64, y.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let geometry = try geometry(x: x.shape).inThreeAxes()
        try Tensor.claim(outputTypes[0].shape)
        let pixels = x.float64Elements
        var indices = [Int64](repeating: 0, count: outputTypes[0].elementCount)
        let y = try Tensor(outputTypes[0]) { y in
            pixels.withUnsafeBufferPointer { pixels in
                indices.withUnsafeMutableBufferPointer { indices in
                    forEachWindow(x, geometry) { position, plane, origin in
                        var best = -Double.infinity
                        var source = -1
                        geometry.forEachTap(at: origin) { tap in
                            let value = pixels[plane + tap]
                            guard source < 0 || value > best || (value.isNaN && !best.isNaN) else { return }
                            best = value
                            source = tap
                        }
                        y[position] = best
                        indices[position] = Int64(plane + index(max(source, 0), geometry.input))
                    }
                }
            }
        }
        return [y, try Tensor(indices, shape: outputTypes[0].shape)]
    }

    /// The index of a channel's element at the row-major position `position`.
    private func index(_ position: Int, _ input: [Int]) -> Int {
        guard isColumnMajor, !input.contains(0) else { return position }
        let (d, h, w) = (position / (input[1] * input[2]), position / input[2] % input[1], position % input[2])
        return (w * input[1] + h) * input[0] + d
    }
}
