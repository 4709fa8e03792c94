import Tensors

/// A tensor, usually an image, resized by interpolation.
///
/// y[i] is interpolated at the position on x's axis that `coordinate_transformation_mode` gives for i: the nearest
/// element, the two neighbours in proportion (linear), or four with Keys' kernel (cubic); one axis after another.
///
/// Shapes: x [d₀, …]; roi [2 · axes]; scales [axes]; or sizes [axes] → ⌊d · scale⌋ or the size along each axis named.
/// Attributes: `mode` (nearest), `coordinate_transformation_mode` (half_pixel), `nearest_mode`
/// (round_prefer_floor), `cubic_coeff_a` (−0.75), `exclude_outside` (0), `extrapolation_value` (0),
/// `antialias` (0), `axes` (all), `keep_aspect_ratio_policy` (stretch).
/// Numerics: float64; integers are rounded. Positions are exact fractions of the extents, also where scales are the
/// extents' quotients rounded to float32.
/// Reference: https://onnx.ai/onnx/operators/onnx__Resize.html
package struct Resize: ImageResizing {
    package enum AspectRatioPolicy: String, Sendable, CaseIterable {
        case stretch
        case notLarger = "not_larger"
        case notSmaller = "not_smaller"
    }

    package static let name = "Resize"
    package static let inputCount = 1...4
    package var interpolation: Interpolation
    package var extrapolationValue: Float
    package var axes: [Int]?
    package var policy: AspectRatioPolicy

    package init(interpolation: Interpolation = Interpolation(), axes: [Int]? = nil) {
        self.interpolation = interpolation
        self.axes = axes
        extrapolationValue = 0
        policy = .stretch
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        var interpolation = Interpolation()
        interpolation.mode = try attributes.choice("mode") ?? interpolation.mode
        interpolation.coordinates =
            try attributes.choice("coordinate_transformation_mode") ?? interpolation.coordinates
        interpolation.nearest = try attributes.choice("nearest_mode") ?? interpolation.nearest
        policy = try attributes.choice("keep_aspect_ratio_policy") ?? .stretch
        interpolation.cubicCoefficient = try attributes.float("cubic_coeff_a", default: -0.75)
        interpolation.excludesOutside = try attributes.bool("exclude_outside", default: false)
        interpolation.isAntialiased = try attributes.bool("antialias", default: false)
        self.interpolation = interpolation
        extrapolationValue = try attributes.float("extrapolation_value", default: 0)
        axes = try attributes.ints("axes")
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        func set(_ name: String, _ value: String, unless fallback: String) {
            if value != fallback { values[name] = .string(value) }
        }
        set("mode", interpolation.mode.rawValue, unless: "nearest")
        set("coordinate_transformation_mode", interpolation.coordinates.rawValue, unless: "half_pixel")
        set("nearest_mode", interpolation.nearest.rawValue, unless: "round_prefer_floor")
        set("keep_aspect_ratio_policy", policy.rawValue, unless: "stretch")
        if interpolation.cubicCoefficient != -0.75 { values["cubic_coeff_a"] = .float(interpolation.cubicCoefficient) }
        if interpolation.excludesOutside { values["exclude_outside"] = .int(1) }
        if interpolation.isAntialiased { values["antialias"] = .int(1) }
        if extrapolationValue != 0 { values["extrapolation_value"] = .float(extrapolationValue) }
        if let axes { values["axes"] = .ints(axes.map(Int64.init)) }
        return values
    }

    package func resizedAxes(_ inputs: [TensorType?]) throws(OperatorError) -> [Interpolation.Axis] {
        let x = try inputs.required(0)
        var result = x.shape.map { Interpolation.Axis(input: $0, output: $0, ratio: (1, 1), region: (0, 1)) }
        let named = try Axes.resolve(axes ?? Array(0..<x.rank), rank: x.rank)
        let regions = try regions(inputs, count: named.count)
        let scales = try inputs.floats(2, "scales") ?? []
        let sizes = try inputs.integers(3, "sizes")
        if !scales.isEmpty {
            guard scales.count == named.count else {
                throw .invalid("there are \(scales.count) scales for \(named.count) axes")
            }
            for (index, axis) in named.enumerated() { result[axis] = try scaledAxis(x.shape[axis], scales[index]) }
        } else if let sizes, !sizes.isEmpty {
            guard sizes.count == named.count, sizes.allSatisfy({ $0 > 0 }) else {
                throw .invalid("sizes \(sizes) must be a number from 1 for each of \(named.count) axes")
            }
            let ratios = zip(sizes, named).map { (numerator: Double($0), denominator: Double(max(x.shape[$1], 1))) }
            let order = { (a: (numerator: Double, denominator: Double), b: (numerator: Double, denominator: Double)) in
                a.numerator * b.denominator < b.numerator * a.denominator
            }
            let common =
                policy == .notLarger ? ratios.min(by: order) : policy == .notSmaller ? ratios.max(by: order) : nil
            for (index, axis) in named.enumerated() {
                let input = Double(x.shape[axis])
                let size = common.map {
                    ((2 * input * $0.numerator + $0.denominator) / (2 * $0.denominator)).rounded(.down)
                }
                guard size ?? Double(sizes[index]) < 0x1p53 else { throw .invalid("sizes \(sizes) are too large") }
                result[axis].output = size.map { Int($0) } ?? sizes[index]
                result[axis].ratio = common ?? ratios[index]
            }
        } else {
            throw .invalid("neither \"scales\" nor \"sizes\" are given")
        }
        for (index, axis) in named.enumerated() where !regions.isEmpty { result[axis].region = regions[index] }
        return result
    }

    /// The region of each axis for crop-and-resize.
    private func regions(
        _ inputs: [TensorType?], count: Int
    ) throws(OperatorError) -> [(start: Double, end: Double)] {
        guard interpolation.coordinates == .cropAndResize else { return [] }
        guard let numbers = try inputs.floats(1, "roi"), numbers.count == 2 * count else {
            throw .invalid("\"roi\" must hold a start and an end for each of \(count) axes")
        }
        guard numbers.allSatisfy({ $0.magnitude < 0x1p31 }) else { throw .invalid("\"roi\" is \(numbers)") }
        return (0..<count).map { (Double(numbers[$0]), Double(numbers[count + $0])) }
    }
}
