import CPUKernels

/// A worker's scratch memory for the rows of a product: their addresses, and behind these the rounded rows where the
/// kernel does not read floats.
struct RowScratch: BitwiseCopyable {
    let byteCount: Int
    private let addressByteCount: Int

    private static let cacheLineByteCount = 64

    /// - Parameters:
    ///   - rows: The maximum rows that are addressed at a time.
    ///   - segments: The addresses of a row.
    ///   - words: The words of a row, or of each further row that is rounded at the same time.
    ///   - roundedRows: The maximum rows that are rounded at a time; as many as are addressed unless it is given.
    init(_ kernel: GEMMKernel, rows: Int, segments: Int, words: Int, roundedRows: Int? = nil) {
        addressByteCount = Self.wholeLines(rows * segments * MemoryLayout<UnsafePointer<Float>>.stride)
        let wordCount = kernel.roundRows == nil ? 0 : (roundedRows ?? rows) * words
        byteCount = addressByteCount + Self.wholeLines(wordCount * MemoryLayout<Float>.stride)
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
}
