import Graphs

/// The function that a pool computes of the elements under its window.
enum PoolKind: Int32 {
    case max, average
    /// The Euclidean norm.
    case l2

    /// - Parameter includesPadding: Whether a mean counts the padding too.
    func operation(_ window: SpatialWindow, includesPadding: Bool) -> any Operator {
        switch self {
        case .max: MaxPool(window: window)
        case .average: AveragePool(window: window, countIncludePad: includesPadding)
        case .l2: LpPool(window: window)
        }
    }

    /// The pool over whole planes.
    var globalOperation: any Operator {
        switch self {
        case .max: GlobalMaxPool()
        case .average: GlobalAveragePool()
        case .l2: GlobalLpPool()
        }
    }
}

extension Interpolation {
    /// Interpolation that repeats each element.
    static let repeating = Interpolation(mode: .nearest, coordinates: .asymmetric, nearest: .floor)

    /// - Parameter coordinates: The positions of the result's elements on the input's axis.
    static func linear(_ coordinates: Coordinates) -> Interpolation {
        Interpolation(mode: .linear, coordinates: coordinates)
    }
}

extension LayerWriter {
    /// Enlarges the last two axes by two factors.
    mutating func upsampled(
        _ x: Graph.ValueID, by factors: [Float], _ interpolation: Interpolation
    ) throws(FormatError) -> Graph.ValueID {
        if interpolation.mode == .linear, factors.count == 2, try shape(of: x).count >= 2 {
            return try interpolated(x, by: factors, interpolation)
        }
        let scales = [Float](repeating: 1, count: max(0, try shape(of: x).count - factors.count)) + factors
        let operand = try constant(scales, shape: [scales.count], "scales")
        return try apply(Resize(interpolation: interpolation), [x, nil, operand])
    }

    /// Interpolates the last two axes. The positions follow from the extents of the result, ⌊extent · factor⌋, and not
    /// from the factors.
    ///
    /// Reference: `upsample_bilinear` of
    /// https://apple.github.io/coremltools/source/coremltools.converters.mil.mil.ops.defs.html
    private mutating func interpolated(
        _ x: Graph.ValueID, by factors: [Float], _ interpolation: Interpolation
    ) throws(FormatError) -> Graph.ValueID {
        let rank = try shape(of: x).count
        let extents = try cast(try apply(ShapeOperator(start: rank - 2), [x]), to: .float32)
        let scaled = try apply(Mul(), [extents, try constant(factors, shape: [2], "factors")])
        let sizes = try cast(try apply(Floor(), [scaled]), to: .int64)
        return try apply(Resize(interpolation: interpolation, axes: [rank - 2, rank - 1]), [x, nil, nil, sizes])
    }

    /// x / √(Σ x² + epsilon) over the last three axes.
    mutating func l2Normalized(_ x: Graph.ValueID, epsilon: Float) throws(FormatError) -> Graph.ValueID {
        let energy = try apply(ReduceSumSquare(), [x, try constant(integers: [-3, -2, -1], "axes")])
        let sum = try apply(Add(), [energy, try constant(epsilon)])
        return try apply(Div(), [x, try apply(Sqrt(), [sum])])
    }
}
