import Tensors

/// An operator that computes each output from the inputs under a window that slides over each channel.
package protocol Pooling: Operator {
    var window: SpatialWindow { get }
}

extension Pooling {
    package var ceilMode: Bool { window.ceilMode }

    /// Reads a window; its kernel is required.
    static func readWindow(_ attributes: inout AttributeReader) throws(OperatorError) -> SpatialWindow {
        var window = try SpatialWindow(&attributes)
        window.ceilMode = try attributes.bool("ceil_mode", default: false)
        guard !window.kernel.isEmpty else { throw .invalid("attribute \"kernel_shape\" is missing") }
        return window
    }

    /// The window over an input whose shape the shape rule has accepted.
    package func geometry(x: [Int]) throws(OperatorError) -> SpatialWindow.Geometry {
        try window.geometry(input: Array(x.dropFirst(2)))
    }

    /// The number of elements of all windows together, including padding; 0 when no window fits.
    package func tapCount(inputs: [TensorType?], outputs: [TensorType]) -> Int {
        guard let x = inputs.first ?? nil, let y = outputs.first, let geometry = try? geometry(x: x.shape) else {
            return 0
        }
        return (geometry.kernel + y.shape).saturatingProduct
    }

    /// The type of the pooled result.
    func pooledType(_ x: TensorType) throws(OperatorError) -> TensorType {
        guard x.rank >= 3 else {
            throw .invalid("input \(x.shape) must have a batch, a channel and at least one spatial axis")
        }
        return TensorType(x.elementType, Array(x.shape.prefix(2)) + (try geometry(x: x.shape)).output)
    }

    /// Calls `body` for every output of every channel with the position of the output, the position of the channel's
    /// first input, and the start of the window along three axes.
    func forEachWindow(
        _ x: Tensor, _ geometry: SpatialWindow.Geometry, _ body: (Int, Int, (Int, Int, Int)) -> Void
    ) {
        let planes = x.shape.prefix(2).reduce(1, *)
        let area = geometry.input.elementCount
        var position = 0
        for plane in 0..<planes {
            for d in 0..<geometry.output[0] {
                for h in 0..<geometry.output[1] {
                    for w in 0..<geometry.output[2] {
                        let origin = (geometry.origin(0, d), geometry.origin(1, h), geometry.origin(2, w))
                        body(position, plane * area, origin)
                        position += 1
                    }
                }
            }
        }
    }
}

extension SpatialWindow.Geometry {
    /// Calls `body` with the position in the channel of every input under the window at `origin`.
    @inline(__always)
    func forEachTap(at origin: (Int, Int, Int), _ body: (Int) -> Void) {
        let rows = taps(1, origin: origin.1, to: input[1])
        let columns = taps(2, origin: origin.2, to: input[2])
        for k0 in taps(0, origin: origin.0, to: input[0]) {
            let d = origin.0 + k0 * dilations[0]
            for k1 in rows {
                let row = (d * input[1] + origin.1 + k1 * dilations[1]) * input[2] + origin.2
                for k2 in columns { body(row + k2 * dilations[2]) }
            }
        }
    }

    /// The number of kernel elements of the window at `origin` that lie on the input, or on the input and its padding.
    func tapCount(at origin: (Int, Int, Int), includingPadding: Bool) -> Double {
        func count(_ axis: Int, _ origin: Int) -> Double {
            let lower = includingPadding ? -padsBegin[axis] : 0
            let upper = input[axis] + (includingPadding ? padsEnd[axis] : 0)
            return Double(taps(axis, origin: origin, from: lower, to: upper).count)
        }
        return count(0, origin.0) * count(1, origin.1) * count(2, origin.2)
    }
}
