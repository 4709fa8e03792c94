import CPUBackend
import Platform

/// Reads the rows of an index block by block, and measures their vectors. A thread has one.
struct VectorBlock {
    /// By what the products of each row of the last block are multiplied, 1 ÷ its length in single precision. Not a
    /// number for rows whose products may leave the range of single precision, and for those without a vector.
    private(set) var factors: [Float] = []

    private let index: EmbeddingIndex
    private var scratch: [Float] = []

    /// Squared lengths with which single precision loses no more than by rounding.
    private static let plainSquares: ClosedRange<Float> = 1e-20...1e30

    init(_ index: EmbeddingIndex) { self.index = index }

    /// Reads a range of rows, and calls `body` with their elements.
    ///
    /// - Throws: ``ApusError/file(path:message:)``, also for a vector that has no direction; what `body` throws.
    mutating func read<Result>(
        _ range: Range<Int>, _ body: (_ factors: [Float], UnsafeBufferPointer<Float>) throws -> Result
    ) throws -> Result {
        var scratch: [Float] = []
        swap(&scratch, &self.scratch)
        defer { swap(&scratch, &self.scratch) }
        return try index.rows.withRows(range, &scratch) { elements in
            try measure(elements, of: range)
            return try body(factors, elements)
        }
    }

    private mutating func measure(_ elements: UnsafeBufferPointer<Float>, of range: Range<Int>) throws {
        let depth = index.vectorCount
        if factors.count != range.count { factors = [Float](repeating: 0, count: range.count) }
        factors.withUnsafeMutableBufferPointer { RowProducts.squaredLengths(elements, depth: depth, into: $0) }
        for row in factors.indices {
            if Self.plainSquares.contains(factors[row]) {
                factors[row] = 1 / factors[row].squareRoot()
            } else {
                factors[row] = .nan
                try check(
                    UnsafeBufferPointer(rebasing: elements[row * depth..<(row + 1) * depth]), range.lowerBound + row)
            }
        }
    }

    /// Refuses a vector without a direction, unless its record has an error.
    private func check(_ vector: UnsafeBufferPointer<Float>, _ position: Int) throws {
        let square = vector.product(with: vector)
        guard !(square > 0 && square.isFinite), !index.ids.errors.contains(position) else { return }
        let flaw = square == 0 ? "has only zeros" : "has a number that is not finite"
        throw ApusError.file(
            path: index.path, message: "the vector of \(try index.ids.id(position).printable) \(flaw)")
    }
}

extension UnsafeBufferPointer<Float> {
    /// Σ x·y, in double precision and in the order of the elements.
    func product(with other: UnsafeBufferPointer<Float>) -> Double {
        var sum = 0.0
        for index in 0..<Swift.min(count, other.count) { sum += Double(self[index]) * Double(other[index]) }
        return sum
    }

    /// The cosine of the angle between two vectors, Σ x·y ÷ √(Σ x² · Σ y²), in double precision. It is the same
    /// whichever comes first.
    func cosine(with other: UnsafeBufferPointer<Float>) -> Double {
        let cosine = product(with: other) / (product(with: self) * other.product(with: other)).squareRoot()
        return Swift.min(1, Swift.max(-1, cosine))
    }
}

extension EmbeddingIndex {
    /// The ranges of rows of which a block consists.
    ///
    /// - Parameter elementCount: The number of elements that a block should have.
    func blocks(elementCount: Int, atMost maximum: Int = .max) -> [Range<Int>] {
        let length = Swift.max(1, Swift.min(maximum, elementCount / vectorCount))
        return stride(from: 0, to: count, by: length).map { $0..<Swift.min(count, $0 + length) }
    }

    /// By how much a cosine in single precision may differ from the exact one: (n + 16)·2⁻²³, of which the rounding of
    /// n products and sums takes n·2⁻²⁴, and that of the length half as much.
    ///
    /// Source: N. Higham, Accuracy and Stability of Numerical Algorithms, section 3.1.
    var uncertainty: Double { Double(vectorCount + 16) * 0x1p-23 }
}
