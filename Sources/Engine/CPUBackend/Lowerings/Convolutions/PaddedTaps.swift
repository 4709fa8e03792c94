import Graphs

/// The part of a 2-D convolution's taps that meet padding, as those of strongly dilated kernels do.
struct PaddedTaps {
    /// The minimum part of taps in padding for which it is worth asking of every tile whether a tap can be left out.
    private static let minimumPart = 0.2

    /// The expected part of the work that remains when whole tiles leave taps out; 1 where nothing is left out.
    let remainingWork: Double

    /// Whether taps are left out.
    var areLeftOut: Bool { remainingWork < 1 }

    init(_ geometry: SpatialWindow.Geometry) {
        let inside = geometry.kernel.indices.map { Self.partInside(geometry, axis: $0) }
        // Pixels of a tile are adjacent in a row, so only some of the taps beside the image can be left out.
        let remaining = inside[0] * (1 + inside[1]) / 2
        remainingWork = remaining > 1 - Self.minimumPart ? 1 : remaining
    }

    /// The part of all pairs of a tap and an output position along an axis that lie inside the image.
    private static func partInside(_ geometry: SpatialWindow.Geometry, axis: Int) -> Double {
        let (stride, outputs) = (geometry.strides[axis], geometry.output[axis])
        var count = 0
        for tap in 0..<geometry.kernel[axis] {
            let start = tap * geometry.dilations[axis] - geometry.padsBegin[axis]
            // 0 ≤ o · stride + start < input
            let first = start >= 0 ? 0 : (-start + stride - 1) / stride
            let end = geometry.input[axis] <= start ? 0 : (geometry.input[axis] - start + stride - 1) / stride
            count += max(0, min(outputs, end) - first)
        }
        return Double(count) / Double(geometry.kernel[axis] * outputs)
    }
}
