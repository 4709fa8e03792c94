/// The rows that are most like a vector, best first; of equal ones the lower position is better.
struct NearestRows {
    /// A row and its exact similarity.
    struct Row: Equatable {
        let position: Int
        let similarity: Double

        func isBetter(than other: Row) -> Bool {
            similarity == other.similarity ? position < other.position : similarity > other.similarity
        }
    }

    private let capacity: Int
    private(set) var rows: [Row] = []

    /// - Parameter capacity: The number of rows to keep, at least 1.
    init(capacity: Int) { self.capacity = capacity }

    /// The similarity that a row needs to be among the nearest.
    var least: Double { rows.count < capacity ? -.infinity : rows[rows.count - 1].similarity }

    /// Adds a row, unless as many better ones are known as are kept.
    mutating func add(_ row: Row) {
        if rows.count == capacity {
            guard row.isBetter(than: rows[capacity - 1]) else { return }
            rows.removeLast()
        }
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].isBetter(than: row) { low = middle + 1 } else { high = middle }
        }
        rows.insert(row, at: low)
    }
}
