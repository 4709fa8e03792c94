import CPUKernels

/// A worker's scratch memory for a product: the addresses of its rows, behind these the rounded rows where the kernel
/// does not read floats, and its sums where results are rounded.
struct RowScratch: BitwiseCopyable {
    let byteCount: Int
    private let addressByteCount: Int
    private let wordByteCount: Int

    private static let cacheLineByteCount = 64

    /// - Parameters:
    ///   - rows: The maximum rows that are addressed at a time.
    ///   - segments: The addresses of a row.
    ///   - words: The words of a row, or of each further row that is rounded at the same time.
    ///   - roundedRows: The maximum rows that are rounded at a time; as many as are addressed unless it is given.
    ///   - sumColumns: The columns of a block whose sums lie in scratch memory; 0 for none.
    init(
        _ kernel: GEMMKernel, rows: Int, segments: Int, words: Int, roundedRows: Int? = nil, sumColumns: Int = 0
    ) {
        addressByteCount = Self.wholeLines(rows * segments * MemoryLayout<UnsafePointer<Float>>.stride)
        let wordCount = kernel.roundRows == nil ? 0 : (roundedRows ?? rows) * words
        wordByteCount = Self.wholeLines(wordCount * MemoryLayout<Float>.stride)
        byteCount = addressByteCount + wordByteCount + Self.wholeLines(rows * sumColumns * MemoryLayout<Float>.stride)
    }

    private static func wholeLines(_ byteCount: Int) -> Int {
        (byteCount + cacheLineByteCount - 1) / cacheLineByteCount * cacheLineByteCount
    }

    func addresses(_ scratch: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UnsafePointer<Float>> {
        scratch.assumingMemoryBound(to: UnsafePointer<Float>.self)
    }

    func words(_ scratch: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Float> {
        (scratch + addressByteCount).assumingMemoryBound(to: Float.self)
    }

    func sums(_ scratch: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Float> {
        (scratch + addressByteCount + wordByteCount).assumingMemoryBound(to: Float.self)
    }
}
