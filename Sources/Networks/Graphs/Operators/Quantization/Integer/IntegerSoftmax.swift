import Tensors

/// Softmax of quantized scores along the last axis, in fixed point.
///
/// y = round(256 · e^(scale · beta · (x − max x)) / Σ e^…) + least y; the result's scale is 1 / 256.
///
/// Shapes: x any → x's.
/// Attributes: `factor` (scale · beta).
/// Numerics: exponentials of 26 fractional bits, by a polynomial and products of constants; the reciprocal by three
/// Newton steps, each rounded.
/// Reference: https://ai.google.dev/edge/litert/models/quantization_spec
package struct IntegerSoftmax: Operator {
    package static let name = "IntegerSoftmax"
    package static let domain = "apus"
    package static let inputCount = 1...1
    package var factor: Double
    package var elementType: ElementType

    /// - Parameters:
    ///   - factor: The scores' scale times beta.
    ///   - elementType: The result's type.
    package init(factor: Double, elementType: ElementType) {
        self.factor = factor
        self.elementType = elementType
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) { throw .unsupported(Self.name) }
    package var attributes: [String: AttributeValue] { ["factor": .float(Float(factor))] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.quantized(0)
        guard x.rank > 0, elementType.byteCount == 1, factor.isFinite, factor > 0 else {
            throw .invalid("scores are \(x) with the factor \(factor)")
        }
        return [TensorType(elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let multiplier = try FixedPointMultiplier(min(factor * 0x1p26, 0x1p30 - 1))
        // Differences below this would overflow 5 integer bits.
        let unit = Double(1 << max(multiplier.shift, 0))
        let least = -Int32((31 * 0x1p26 / unit).rounded(.down))
        let scores = x.elements(as: Int32.self)
        let count = x.shape.last ?? 1
        let lowest = Int64(elementType.quantizedRange?.lowerBound ?? 0)
        var values = [Int64](repeating: lowest, count: scores.count)
        for start in stride(from: 0, to: scores.count, by: max(count, 1)) {
            let row = start..<start + count
            let largest = row.reduce(Int32.min) { max($0, scores[$1]) }
            func exponential(_ index: Int) -> Int32? {
                let difference = scores[index] - largest
                return difference < least ? nil : FixedPointExponential.negative(multiplier(difference))
            }
            var sum: Int32 = 0
            for index in row { sum &+= exponential(index).map { FixedPointMultiplier.roundingShift($0, by: 12) } ?? 0 }
            let (reciprocal, exponent) = FixedPointExponential.reciprocal(sum, integerBits: 12)
            for index in row {
                guard let exponential = exponential(index) else { continue }
                let product = FixedPointMultiplier.highProduct(reciprocal, exponential)
                let rounded = FixedPointMultiplier.roundingShift(product, by: exponent + 31 - 8)
                values[index] = min(max(Int64(rounded) + lowest, lowest), lowest + 255)
            }
        }
        return [try Tensor(values, as: elementType, shape: x.shape)]
    }
}
