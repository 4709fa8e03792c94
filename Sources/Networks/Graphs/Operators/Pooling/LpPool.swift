import Tensors

/// The p-norm of the elements under a window that slides over each channel.
///
/// y[n, c, o] = (Σ_k |x[n, c, o · stride + k · dilation − pad]|ᵖ)^(1/p) over the k that lie on the input.
///
/// Shapes: x [N, C, spatial…] → [N, C, spatial…].
/// Attributes: `kernel_shape`, `p` (2) and those of ``SpatialWindow``.
/// Numerics: sums in float64; a window that lies wholly in the padding gives 0.
/// Reference: https://onnx.ai/onnx/operators/onnx__LpPool.html
package struct LpPool: Pooling {
    package static let name = "LpPool"
    package static let inputCount = 1...1
    package var window: SpatialWindow
    package var norm: PowerNorm

    package init(kernel: [Int], strides: [Int] = [], pads: [Int] = [], ceilMode: Bool = false, power: Int = 2) {
        window = SpatialWindow(kernel: kernel, strides: strides, pads: pads, ceilMode: ceilMode)
        norm = PowerNorm(power: Double(power))
    }

    package init(window: SpatialWindow) {
        self.window = window
        norm = PowerNorm()
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        window = try Self.readWindow(&attributes)
        norm = try PowerNorm(&attributes)
    }

    package var attributes: [String: AttributeValue] { window.attributes.merging(norm.attributes) { own, _ in own } }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        [try pooledType(try inputs.floatingPoint(0))]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let geometry = try geometry(x: x.shape).inThreeAxes()
        let pixels = x.float64Elements
        let y = try Tensor(outputTypes[0]) { y in
            forEachWindow(x, geometry) { position, plane, origin in
                var sum = 0.0
                geometry.forEachTap(at: origin) { sum += norm.term(pixels[plane + $0]) }
                y[position] = norm.finish(sum)
            }
        }
        return [y]
    }
}
