import Graphs
import Tensors

/// Functions that TensorFlow Lite's kernels compute with intermediate integers of 16 bits.
extension IntegerFunction {
    /// The table of x · min(max(x + 3, 0), 6) / 6. The second factor has 15 fractional bits.
    func hardSwish() throws(OperatorError) -> Tensor {
        let fineScale = xScale * (1 / 128)
        let output = try FixedPointMultiplier(Double(fineScale / yScale))
        let gate = try FixedPointMultiplier(Double(fineScale / (3 / 32768)))
        let (outputFactor, gateFactor) = (Self.narrowed(output.value), Self.narrowed(gate.value))
        guard output.shift <= 0 else { throw .unsupported("a result whose scale is below a 128th of its operand's") }
        return try integers(to: elementType, within: elementType.quantizedRange ?? 0...0) { x in
            let fine = Int16(clamping: x &* 128)
            let value = Self.highProduct(fine, outputFactor)
            var share = fine
            if gate.shift > 0 { share = Self.shifted(share, by: gate.shift - 1) }
            share = Self.highProduct(share, gateFactor)
            if gate.shift > 0 { share = Self.shifted(share, by: 1) }
            if gate.shift < 0 {
                share = Int16(clamping: FixedPointMultiplier.roundingShift(Int32(share), by: -gate.shift))
            }
            let positive = (Int32(share) + 1 << 15) >> 1
            let product = Int32(clamping: Int64(positive) * Int64(value) / 1 << 15)
            return FixedPointMultiplier.roundingShift(product, by: -output.shift)
        }
    }

    /// A 32-bit fraction rounded to 15 fractional bits.
    private static func narrowed(_ value: Int32) -> Int16 {
        Int16(clamping: (Int64(value) + 1 << 15) >> 16)
    }

    private static func highProduct(_ a: Int16, _ b: Int16) -> Int16 {
        let product = Int32(a) * Int32(b)
        return Int16(clamping: (product + (product >= 0 ? 1 << 14 : 1 - 1 << 14)) / 1 << 15)
    }

    private static func shifted(_ value: Int16, by bits: Int32) -> Int16 {
        Int16(clamping: Int64(value) << Int64(min(bits, 31)))
    }
}
