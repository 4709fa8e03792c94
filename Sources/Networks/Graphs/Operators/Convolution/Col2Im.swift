import Tensors

/// Columns of blocks added into an image: the reverse of im2col.
///
/// y[n, c, l · stride + k · dilation − pad] += x[n, (c, k), l] for every block element k and block position l.
///
/// Shapes: x [N, C · blocks…, L], image_shape [n], block_shape [n] → [N, C, image_shape…]; L is the number of block
/// positions.
/// Attributes: `strides` (1 each), `dilations` (1 each), `pads` (0 each).
/// Numerics: sums in float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__Col2Im.html
package struct Col2Im: Operator {
    package static let name = "Col2Im"
    package static let inputCount = 3...3
    package var window: SpatialWindow

    package init(strides: [Int] = [], dilations: [Int] = [], pads: [Int] = []) {
        window = SpatialWindow(strides: strides, dilations: dilations, pads: pads)
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        window = try SpatialWindow(&attributes)
    }

    package var attributes: [String: AttributeValue] { window.attributes }

    /// The window whose input is the image.
    private func geometry(_ inputs: [TensorType?]) throws(OperatorError) -> SpatialWindow.Geometry {
        guard let image = try inputs.integers(1, "image_shape"), let block = try inputs.integers(2, "block_shape"),
            image.count == block.count, !image.isEmpty
        else { throw .invalid("\"image_shape\" and \"block_shape\" must have as many numbers") }
        try SpatialWindow.check("image_shape", image, least: 1)
        try SpatialWindow.check("block_shape", block, least: 1)
        return try window.geometry(input: image, weights: block)
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.required(0)
        let geometry = try geometry(inputs)
        let block = try geometry.kernel.product(of: "block_shape")
        let count = try geometry.output.product(of: "number of blocks")
        guard x.rank == 3, x.shape[1] % block == 0, x.shape[2] == count else {
            throw .invalid(
                "input \(x.shape) must be [N, C · \(block), \(count)] for image \(geometry.input), "
                    + "block \(geometry.kernel)")
        }
        return [TensorType(x.elementType, [x.shape[0], x.shape[1] / block] + geometry.input)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let geometry = try geometry(inputs.types)
        let (taps, count, area) = (
            geometry.kernel.elementCount, geometry.output.elementCount, geometry.input.elementCount
        )
        let columns = x.float64Elements
        let planes = outputTypes[0].shape[..<2].elementCount
        let y = try Tensor(outputTypes[0]) { y in
            for tap in 0..<taps {
                let targets = targets(of: tap, geometry)
                for plane in 0..<planes {
                    for (index, target) in targets.enumerated() where target >= 0 {
                        y[plane * area + target] += columns[(plane * taps + tap) * count + index]
                    }
                }
            }
        }
        return [y]
    }

    /// The index in the image of block element `tap` for every block position; −1 in the padding.
    private func targets(of tap: Int, _ geometry: SpatialWindow.Geometry) -> [Int] {
        var (targets, rest) = ([0], tap)
        var offsets = [Int](repeating: 0, count: geometry.kernel.count)
        for axis in geometry.kernel.indices.reversed() {
            offsets[axis] = rest % geometry.kernel[axis] * geometry.dilations[axis]
            rest /= geometry.kernel[axis]
        }
        for axis in geometry.input.indices {
            targets = targets.flatMap { target in
                (0..<geometry.output[axis]).map { index in
                    let place = geometry.origin(axis, index) + offsets[axis]
                    guard target >= 0, place >= 0, place < geometry.input[axis] else { return -1 }
                    return target * geometry.input[axis] + place
                }
            }
        }
        return targets
    }
}
