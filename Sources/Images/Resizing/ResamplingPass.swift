import CPUKernels

/// The horizontal and the vertical pass of resizing RGB rows.
///
///     result = clip((2^21 + sum of source * weight) >> 22)
///
/// Sums fit in 32-bit integers, since weights are bounded; see ``ResamplingWeights``.
enum ResamplingPass {
    private static let half = Int32(1) << (ResamplingWeights.fractionalBits - 1)

    @inline(__always)
    private static func clip(_ sum: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: min(max(sum >> ResamplingWeights.fractionalBits, 0), 255))
    }

    /// Resizes `rows` of `source`. Its rows have `width` pixels and begin with column `firstColumn` of the image to
    /// which the positions of `weights` refer.
    static func horizontal(
        _ source: UnsafeBufferPointer<UInt8>, width: Int, firstColumn: Int, rows: Range<Int>,
        _ weights: ResamplingWeights, into result: UnsafeMutableBufferPointer<UInt8>
    ) {
        guard let source = source.baseAddress, let result = result.baseAddress else { return }
        let (taps, pairs) = weights.pairs(firstColumn: firstColumn)
        taps.withUnsafeBufferPointer { taps in
            pairs.withUnsafeBufferPointer { pairs in
                for (index, row) in rows.enumerated() {
                    apus_resample_row(
                        source + row * width * 3, source + rows.upperBound * width * 3, taps.baseAddress, taps.count,
                        pairs.baseAddress, result + index * taps.count * 3)
                }
            }
        }
    }

    /// Resizes `columns` of `source`. Its rows have `width` pixels, and the first is row `firstRow` of the image to
    /// which the positions of `weights` refer.
    static func vertical(
        _ source: UnsafeBufferPointer<UInt8>, width: Int, firstRow: Int, columns: Range<Int>,
        _ weights: ResamplingWeights, into result: UnsafeMutableBufferPointer<UInt8>
    ) {
        guard let source = source.baseAddress, let result = result.baseAddress else { return }
        let byteCount = columns.count * 3
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: byteCount) { sums in
            guard let sums = sums.baseAddress else { return }
            for (index, tap) in weights.taps.enumerated() {
                sums.initialize(repeating: half, count: byteCount)
                for row in 0..<tap.count {
                    let weight = weights.weights[tap.offset + row]
                    let sourceRow = source + ((tap.first - firstRow + row) * width + columns.lowerBound) * 3
                    for column in 0..<byteCount { sums[column] &+= Int32(sourceRow[column]) &* weight }
                }
                let target = result + index * byteCount
                for column in 0..<byteCount { target[column] = clip(sums[column]) }
            }
        }
    }
}
