import Tensors

/// How ``Resize`` computes an element between the elements of one axis.
///
/// Reference: https://onnx.ai/onnx/operators/onnx__Resize.html
package struct Interpolation: Sendable, Equatable {
    package enum Mode: String, Sendable, CaseIterable { case nearest, linear, cubic }

    /// The mapping from an output element to a position on the input axis.
    package enum Coordinates: String, Sendable, CaseIterable {
        case halfPixel = "half_pixel"
        case halfPixelSymmetric = "half_pixel_symmetric"
        case pytorchHalfPixel = "pytorch_half_pixel"
        case tensorFlowHalfPixel = "tf_half_pixel_for_nn"
        case alignCorners = "align_corners"
        case asymmetric
        case cropAndResize = "tf_crop_and_resize"
    }

    /// The rule that chooses the nearest of two neighbours.
    package enum Nearest: String, Sendable, CaseIterable {
        case roundPreferFloor = "round_prefer_floor"
        case roundPreferCeil = "round_prefer_ceil"
        case floor, ceil
        /// Up where the axis shrinks, otherwise down: what version 10 of Resize does, without a name in ONNX.
        case ceilWhereSmaller = "ceil_where_smaller"
    }

    package var mode: Mode
    package var coordinates: Coordinates
    package var nearest: Nearest
    /// Keys' parameter of the cubic kernel.
    package var cubicCoefficient: Float = -0.75
    /// Whether elements outside the axis have weight 0; otherwise the edge is repeated.
    package var excludesOutside = false
    /// Whether the kernel is widened when an axis shrinks.
    package var isAntialiased: Bool

    package init(
        mode: Mode = .nearest, coordinates: Coordinates = .halfPixel, nearest: Nearest = .roundPreferFloor,
        isAntialiased: Bool = false
    ) {
        self.mode = mode
        self.coordinates = coordinates
        self.nearest = nearest
        self.isAntialiased = isAntialiased
    }

    /// One axis of a resize.
    package struct Axis: Sendable {
        package var input: Int
        package var output: Int
        /// The scale, as a fraction: the extents where these gave it.
        package var ratio: (numerator: Double, denominator: Double)
        /// The region of the axis for crop-and-resize, from 0 to 1.
        package var region: (start: Double, end: Double)

        package var scale: Double { ratio.numerator / ratio.denominator }
    }

    /// The position on the input axis of output element `index`.
    ///
    /// half_pixel: (i + 1/2) / scale − 1/2. asymmetric: i / scale. align_corners: i · (in − 1) / (out − 1).
    ///
    /// Each position is one quotient of whole numbers, so that it is exact where it is a whole or a half, which decides
    /// about the nearest element.
    package func position(_ index: Int, _ axis: Axis) -> Double {
        let (i, input, output) = (Double(index), Double(axis.input), Double(axis.output))
        let (p, q) = axis.ratio
        switch coordinates {
        case .halfPixel: return ((2 * i + 1) * q - p) / (2 * p)
        case .halfPixelSymmetric: return (input * p - output * q + (2 * i + 1) * q - p) / (2 * p)
        case .pytorchHalfPixel: return axis.output > 1 ? ((2 * i + 1) * q - p) / (2 * p) : 0
        case .tensorFlowHalfPixel: return (2 * i + 1) * q / (2 * p)
        case .alignCorners: return axis.output > 1 ? i * (input - 1) / ((p * input - q) / q) : 0
        case .asymmetric: return i * q / p
        case .cropAndResize:
            let (start, end) = axis.region
            guard axis.output > 1 else { return (start + end) * (input - 1) / 2 }
            return start * (input - 1) + i * (end - start) * (input - 1) / (output - 1)
        }
    }

    /// The input elements, clipped to the axis, and their weights for an output element at `position`.
    package func taps(at position: Double, _ axis: Axis) -> [(index: Int, weight: Double)] {
        guard mode != .nearest else { return [(nearestIndex(position, axis), 1)] }
        let reach = mode == .linear ? 1.0 : 2.0
        let stretch = isAntialiased ? Swift.min(axis.scale, 1) : 1
        // If the result has an element, the scale is at least 1 / input, except with a region; the radius is bounded
        // for that.
        let radius = Swift.min(reach / stretch, 2 * Double(axis.input) + 2)
        let limit = Double(axis.input) + 2 * radius
        let center = position.isNaN ? 0 : Swift.min(Swift.max(position, -limit), limit)
        let first = Int((center - radius).rounded(.down)) + 1
        let last = Swift.max(first, Int((center + radius).rounded(.up)) - 1)
        var taps: [(index: Int, weight: Double)] = []
        for index in first...last {
            let isOutside = index < 0 || index >= axis.input
            let weight = kernel((Double(index) - center) * stretch)
            if weight == 0 || (excludesOutside && isOutside) { continue }
            taps.append((Swift.min(Swift.max(index, 0), axis.input - 1), weight))
        }
        let sum = taps.reduce(0) { $0 + $1.weight }
        guard excludesOutside || isAntialiased, sum != 0 else { return taps }
        return taps.map { ($0.index, $0.weight / sum) }
    }

    private func nearestIndex(_ position: Double, _ axis: Axis) -> Int {
        let rounded =
            switch nearest {
            case .roundPreferFloor: (position - 0.5).rounded(.up)
            case .roundPreferCeil: (position + 0.5).rounded(.down)
            case .floor: position.rounded(.down)
            case .ceil: position.rounded(.up)
            case .ceilWhereSmaller: position.rounded(axis.scale < 1 ? .up : .down)
            }
        return rounded.isNaN ? 0 : Int(Swift.min(Swift.max(rounded, 0), Double(axis.input - 1)))
    }

    /// The weight of an element at a distance: a triangle, or Keys' piecewise cubic.
    private func kernel(_ distance: Double) -> Double {
        let x = distance.magnitude
        if mode == .linear { return Swift.max(0, 1 - x) }
        let a = Double(cubicCoefficient)
        if x <= 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
        if x < 2 { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a }
        return 0
    }

    /// Resizes `x` along one axis.
    ///
    /// - Parameter extrapolated: The value of elements outside the axis in crop-and-resize.
    package func resized(_ x: Tensor, axis number: Int, _ axis: Axis, extrapolated: Float) throws -> Tensor {
        var shape = x.shape
        shape[number] = axis.output
        let (outer, inner) = (shape[..<number].reduce(1, *), shape[(number + 1)...].reduce(1, *))
        try Tensor.claim(x.shape)
        let values = x.float64Elements
        return try Tensor(TensorType(.float64, shape)) { y in
            guard !y.isEmpty else { return }
            for index in 0..<axis.output {
                let found = position(index, axis)
                let position = found.isNaN ? 0 : found
                let isOutside = position < 0 || position > Double(axis.input - 1)
                let isExtrapolated = coordinates == .cropAndResize && isOutside
                let taps = isExtrapolated ? [] : taps(at: position, axis)
                for row in 0..<outer {
                    let target = (row * axis.output + index) * inner
                    for offset in 0..<inner {
                        var sum = isExtrapolated ? Double(extrapolated) : 0
                        for tap in taps { sum += values[(row * axis.input + tap.index) * inner + offset] * tap.weight }
                        y[target + offset] = sum
                    }
                }
            }
        }
    }
}
