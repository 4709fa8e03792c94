import Platform

/// The vectors of an index, in blocks of rows.
protocol EmbeddingRows: Sendable {
    /// The number of rows, with those of records without a vector.
    var count: Int { get }
    /// The number of elements of a vector.
    var vectorLength: Int { get }

    /// Calls `body` with the elements of the rows of a range, row-major.
    ///
    /// - Parameter scratch: Memory that is used from one call to the next.
    /// - Throws: ``ApusError/file(path:message:)``, and what `body` throws.
    func withRows<Result>(
        _ range: Range<Int>, _ scratch: inout [Float], _ body: (UnsafeBufferPointer<Float>) throws -> Result
    ) throws -> Result
}

extension EmbeddingRows {
    /// The vector of a row.
    func vector(_ position: Int) throws -> [Float] {
        var scratch: [Float] = []
        return try withRows(position..<position + 1, &scratch) { Array($0) }
    }
}
