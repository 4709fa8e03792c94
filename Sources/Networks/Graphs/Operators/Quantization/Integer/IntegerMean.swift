import Tensors

/// The mean or sum of quantized numbers over some axes, requantized.
///
/// y = clamp(round(Σ (x − x_zero_point) · factor) + y_zero_point), with factor = x_scale / (y_scale · count) for the
/// mean.
///
/// Shapes: those of ``ReduceMean``.
/// Attributes: `axes`, `keepdims`, `x_zero_point`, `y_zero_point`; `divides` where the count follows from x.
/// Numerics: sums are exact; the product is rounded as in ``FixedPointMultiplier``.
/// Reference: https://ai.google.dev/edge/litert/models/quantization_spec
package struct IntegerMean: Operator {
    package static let name = "IntegerMean"
    package static let domain = "apus"
    package static let inputCount = 1...1
    package var axes: ReductionAxes
    package var inputZeroPoint: Int32
    /// How sums are rounded; undivided where ``dividesByCount``.
    private var undivided: Requantization
    /// Whether the factor is divided by the number of elements, which follows from the input.
    private let dividesByCount: Bool

    /// - Parameters:
    ///   - count: The number of elements of each mean; nil where it follows from the input.
    ///   - x: The input's quantization, with one scale.
    ///   - y: The result's quantization, with one scale.
    package init(
        axes: [Int], keepsAxes: Bool, isSum: Bool, count: Int?, x: Quantization, y: Quantization,
        elementType: ElementType
    ) throws(OperatorError) {
        self.axes = ReductionAxes(axes: axes, keepsAxes: keepsAxes, isIdentityWithoutAxes: true)
        inputZeroPoint = Int32(clamping: x.zeroPoints[0])
        let multiplier = try Self.multiplier(Double(x.scales[0]) / Double(y.scales[0]), count: isSum ? 1 : count ?? 1)
        dividesByCount = !isSum && count == nil
        undivided = Requantization(
            .fixedPoint([multiplier]), zeroPoint: Int32(clamping: y.zeroPoints[0]),
            range: elementType.quantizedRange ?? 0...0, elementType: elementType)
    }

    /// A mean or sum of numbers minus their zero point, with the factor of the requantization.
    package init(axes: ReductionAxes, inputZeroPoint: Int32, requantization: Requantization) {
        self.axes = axes
        self.inputZeroPoint = inputZeroPoint
        undivided = requantization
        dividesByCount = false
    }

    /// How sums over an input of these extents are rounded.
    package func requantization(for x: TensorType) throws(OperatorError) -> Requantization {
        guard dividesByCount, case .fixedPoint(let multipliers) = undivided.factors else { return undivided }
        let count = try axes.resolved([x]).map { x.shape[$0] }.product(of: "the extents")
        var result = undivided
        result.factors = .fixedPoint([try Self.divided(multipliers[0], by: count)])
        return result
    }

    /// A fixed-point ratio divided by a count. The fraction is shifted up first as far as possible, to lose no bits.
    private static func multiplier(_ ratio: Double, count: Int) throws(OperatorError) -> FixedPointMultiplier {
        try divided(try FixedPointMultiplier(ratio), by: count)
    }

    private static func divided(
        _ factor: FixedPointMultiplier, by count: Int
    ) throws(OperatorError) -> FixedPointMultiplier {
        var multiplier = factor
        guard count > 1 else { return multiplier }
        let room = min(Int32(63 - UInt64(count).leadingZeroBitCount), 32, 31 + multiplier.shift)
        guard room >= 0 else { throw .invalid("scales give a factor that is too small for \(count) elements") }
        multiplier.value = Int32(truncatingIfNeeded: (Int64(multiplier.value) << Int64(room)) / Int64(count))
        multiplier.shift -= room
        return multiplier
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }

    package var attributes: [String: AttributeValue] {
        var values = axes.attributes.merging(undivided.attributes) { first, _ in first }
        values["x_zero_point"] = .int(Int64(inputZeroPoint))
        if dividesByCount { values["divides"] = .int(1) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.quantized(0)
        let sums = try ReduceSum(axes: axes).outputTypes(for: [TensorType(.int64, x.shape)])
        _ = try requantization(for: x)
        return [TensorType(undivided.elementType, sums[0].shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let requantization = try requantization(for: TensorType(x, keepingContent: false))
        let values = x.elements(as: Int64.self).map { $0 - Int64(inputZeroPoint) }
        let centered = try Tensor(values, shape: x.shape)
        let types = [TensorType(.int64, outputTypes[0].shape)]
        let sums = try ReduceSum(axes: axes).evaluate([centered], outputTypes: types)[0].elements(as: Int64.self)
        let results = sums.map { Int64(requantization($0, channel: 0)) }
        return [try Tensor(results, as: outputTypes[0].elementType, shape: outputTypes[0].shape)]
    }
}
