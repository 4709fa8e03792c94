/// The division of a dense value's elements into pieces of work of equal length.
struct ElementPieces: BitwiseCopyable {
    let elementCount: Int
    let pieceCount: Int
    private let length: Int

    /// - Parameters:
    ///   - elementCount: At least 1.
    ///   - threadCount: The number of threads that a run may use.
    init(_ elementCount: Int, threadCount: Int) {
        self.elementCount = elementCount
        pieceCount = min(threadCount * 2, 1 + elementCount / 16_384)
        length = (elementCount + pieceCount - 1) / pieceCount
    }

    /// The first element of a piece, and the number of its elements, which may be 0.
    func piece(_ index: Int) -> (first: Int, count: Int) {
        let first = min(index * length, elementCount)
        return (first, min(length, elementCount - first))
    }

    /// The expected microseconds of a function of 8-bit integers over `elementCount` elements.
    static func expectedMicroseconds(_ elementCount: Int, threadCount: Int) -> Double {
        1 + Double(elementCount) / 4_000 / Double(threadCount)
    }
}
