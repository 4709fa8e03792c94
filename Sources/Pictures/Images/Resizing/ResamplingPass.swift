import CPUKernels

/// The horizontal and the vertical pass of resizing RGB rows.
///
///     result = clip((2^21 + sum of source * weight) >> 22)
///
/// Sums fit in 32-bit integers, since weights are bounded; see ``ResamplingWeights``.
enum ResamplingPass {
    private static let instructions =
        apus_processor_supports(APUS_INSTRUCTIONS_AVX2) != 0 ? APUS_INSTRUCTIONS_AVX2 : APUS_INSTRUCTIONS_BASELINE

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
                apus_resample_rows(
                    instructions, source + rows.lowerBound * width * 3, width * 3, rows.count,
                    source + rows.upperBound * width * 3, taps.baseAddress, taps.count, pairs.baseAddress, result)
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
        weights.weights.withUnsafeBufferPointer { numbers in
            guard let numbers = numbers.baseAddress else { return }
            for (index, tap) in weights.taps.enumerated() {
                apus_resample_columns(
                    source + ((tap.first - firstRow) * width + columns.lowerBound) * 3, width * 3,
                    numbers + tap.offset, tap.count, byteCount, result + index * byteCount)
            }
        }
    }
}
