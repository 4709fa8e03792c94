import Tensors

/// The sums of products of quantized numbers with quantized weights, which kernels add up in 32 bits.
struct IntegerSums {
    /// The largest magnitude of a sum without bias.
    let largest: Int

    /// - Parameter depth: The number of products in a sum.
    init(_ x: QuantizedOperand, _ weights: QuantizedWeights, depth: Int) {
        func reach(_ type: ElementType, _ zeroPoint: Int32) -> Int {
            let range = type.quantizedRange ?? 0...0
            return Int(max(range.upperBound - zeroPoint, zeroPoint - range.lowerBound))
        }
        largest =
            [reach(x.elementType, x.zeroPoint), reach(weights.elementType, weights.zeroPoint), depth]
            .saturatingProduct
    }

    /// Whether every sum has at most 32 bits.
    var fit: Bool { largest <= Int(Int32.max) }

    /// Whether every sum with this bias has at most 32 bits.
    func fit(with bias: Int64) -> Bool {
        fit && bias.magnitude <= UInt64(Int(Int32.max) - largest)
    }
}
