import Tensors

/// An image sampled at the coordinates of a grid.
///
/// y[n, c, o] = x[n, c] at grid[n, o], whose last axis holds coordinates from −1 to 1, those of the last axis of x
/// first; the nearest element, the neighbours in proportion (linear), or four along each axis with Keys' kernel (cubic,
/// −0.75).
///
/// Shapes: x [N, C, H, W], grid [N, H', W', 2] → [N, C, H', W']; x [N, C, D, H, W], grid [N, D', H', W', 3] → [N, C,
/// D', H', W'].
/// Attributes: `mode` (linear, nearest, cubic), `padding_mode` (zeros; border,
/// reflection), `align_corners` (0: −1 and 1 are the edges of the outer elements; 1: their centres).
/// Numerics: float64; halves go to the even element; NaN stands for −1.
/// Reference: https://onnx.ai/onnx/operators/onnx__GridSample.html
package struct GridSample: Operator {
    package enum Mode: String, Sendable { case linear, nearest, cubic }
    package enum Padding: String, Sendable, CaseIterable { case zeros, border, reflection }

    package static let name = "GridSample"
    package static let inputCount = 2...2
    package var mode: Mode
    package var padding: Padding
    package var alignsCorners: Bool

    package init(mode: Mode = .linear, padding: Padding = .zeros, alignsCorners: Bool = false) {
        self.mode = mode
        self.padding = padding
        self.alignsCorners = alignsCorners
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        let name = try attributes.string("mode") ?? "linear"
        guard let mode = Mode(rawValue: name) else {
            throw .invalid("attribute \"mode\" is \"\(name)\"; linear, nearest or cubic is expected")
        }
        self.mode = mode
        padding = try attributes.choice("padding_mode") ?? .zeros
        alignsCorners = try attributes.bool("align_corners", default: false)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = mode == .linear ? [:] : ["mode": .string(mode.rawValue)]
        if padding != .zeros { values["padding_mode"] = .string(padding.rawValue) }
        if alignsCorners { values["align_corners"] = .int(1) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, grid) = (try inputs.required(0), try inputs.floatingPoint(1))
        guard x.rank == 4 || x.rank == 5, grid.rank == x.rank, grid.shape[0] == x.shape[0],
            grid.shape.last == x.rank - 2
        else { throw .invalid("grid \(grid.shape) does not fit input \(x.shape)") }
        let targets = Array(grid.shape[1..<grid.rank - 1])
        guard !x.shape[2...].contains(0) || targets.contains(0) else {
            throw .invalid("input \(x.shape) is empty: there is nothing to sample")
        }
        return [TensorType(x.elementType, x.shape[..<2] + targets)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (x, grid) = (try inputs.required(0), try inputs.required(1).float64Elements)
        let axes = x.shape[2...].map {
            SampledAxis(extent: $0, mode: mode, padding: padding, alignsCorners: alignsCorners)
        }
        let strides = Shape.rowMajorStrides(Array(x.shape[2...]))
        let (channels, area) = (x.shape[1], x.shape[2...].elementCount)
        let points = outputTypes[0].shape[2...].elementCount
        let pixels = x.float64Elements
        let y = try Tensor(outputTypes[0]) { y in
            for sample in 0..<(y.isEmpty ? 0 : x.shape[0] * points) {
                let (image, point) = (sample / points, sample % points)
                var taps = [(offset: image * channels * area, weight: 1.0)]
                for (axis, line) in axes.enumerated() {
                    let along = line.taps(at: grid[sample * axes.count + axes.count - 1 - axis])
                    taps = taps.flatMap { tap in
                        along.map { (offset: tap.offset + $0.index * strides[axis], weight: tap.weight * $0.weight) }
                    }
                }
                for channel in 0..<channels {
                    var sum = 0.0
                    for tap in taps { sum += pixels[tap.offset + channel * area] * tap.weight }
                    y[(image * channels + channel) * points + point] = sum
                }
            }
        }
        return [y]
    }
}

/// One axis that GridSample samples.
private struct SampledAxis {
    let extent: Int
    let mode: GridSample.Mode
    let padding: GridSample.Padding
    let alignsCorners: Bool

    /// The elements and their weights at a coordinate from −1 to 1.
    func taps(at coordinate: Double) -> [(index: Int, weight: Double)] {
        let normal = coordinate.isNaN ? -1 : coordinate
        let last = Double(extent - 1)
        let position = alignsCorners ? (normal + 1) / 2 * last : ((normal + 1) * Double(extent) - 1) / 2
        switch mode {
        case .nearest: return tap(inside(position.rounded(.toNearestOrEven)), 1).map { [$0] } ?? []
        case .linear:
            let center = inside(position)
            let (first, fraction) = (center.rounded(.down), center - center.rounded(.down))
            return [tap(first, 1 - fraction), tap(first + 1, fraction)].compactMap { $0 }
        case .cubic:
            let (first, fraction) = (position.rounded(.down), position - position.rounded(.down))
            guard fraction.isFinite else { return [] }
            return (-1...2).compactMap { step in
                tap(inside(first + Double(step)), Self.cubic(fraction - Double(step)))
            }
        }
    }

    /// The element at a whole position with its weight; nil outside the axis.
    private func tap(_ position: Double, _ weight: Double) -> (index: Int, weight: Double)? {
        guard weight != 0, position >= 0, position <= Double(extent - 1) else { return nil }
        return (Int(position), weight)
    }

    /// The position on the axis that replaces a position outside.
    private func inside(_ position: Double) -> Double {
        let last = Double(extent - 1)
        switch padding {
        case .zeros: return position
        case .border: return min(max(position, 0), last)
        case .reflection:
            let (lower, upper) = alignsCorners ? (0.0, last) : (-0.5, last + 0.5)
            let span = upper - lower
            guard span > 0, position.isFinite else { return 0 }
            let distance = (position - lower).magnitude.truncatingRemainder(dividingBy: 2 * span)
            let folded = lower + (distance > span ? 2 * span - distance : distance)
            return min(max(folded, 0), last)
        }
    }

    /// Keys' piecewise cubic with the parameter −0.75.
    private static func cubic(_ distance: Double) -> Double {
        let (a, x) = (-0.75, distance.magnitude)
        if x <= 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
        return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0
    }
}
