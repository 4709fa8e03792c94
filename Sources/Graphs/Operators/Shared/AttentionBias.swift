import Tensors

/// What is added to the scores of Attention: a mask, and −∞ where a key may not be seen.
struct AttentionBias {
    /// The mask, repeated to the scores but for its own last extent; −∞ stands for false.
    private let mask: [Double]?
    private let maskWidth: Int
    /// How many keys of each image are there.
    private let lengths: [Int64]?
    private let heads: Int
    private let rows: Int
    private let pastCount: Int?
    private let left: Int?
    private let right: Int?

    /// - Parameters:
    ///   - lengths: How many keys of each image are there.
    ///   - pastCount: How many keys come before the first query's own.
    ///   - scores: Batch, heads, queries, keys.
    ///   - left: How many keys before a query's own position are seen, nil for all; `right` behind it likewise.
    init(mask: Tensor?, lengths: Tensor?, pastCount: Int?, scores: [Int], left: Int?, right: Int?) throws {
        (heads, rows) = (scores[1], scores[2])
        (self.left, self.right) = (left, right)
        self.pastCount = pastCount
        self.lengths = lengths?.elements(as: Int64.self)
        let width = mask?.shape.last ?? 0
        maskWidth = width
        guard let mask else {
            self.mask = nil
            return
        }
        let shape = scores[..<3] + [maskWidth]
        try Tensor.claim(Array(shape))
        let elements = mask.broadcast(to: Array(shape)).float64Elements
        self.mask = mask.elementType == .bool ? elements.map { $0 == 0 ? -.infinity : 0 } : elements
    }

    /// Adds to the scores of one query of head `head`, counted through the batch.
    func add(to line: inout [Double], head: Int, row: Int) {
        if let mask {
            let first = (head * rows + row) * maskWidth
            for index in line.indices { line[index] += index < maskWidth ? mask[first + index] : -.infinity }
        }
        let length = lengths.map { Int(clamping: $0[head / heads]) }
        // Lengths are any numbers; those of the other operands are extents.
        let offset = pastCount ?? length.map { max($0, -rows) - rows } ?? 0
        let position = offset.saturatingSum(row)
        let first = left.map { position.saturatingSum(-$0) } ?? 0
        let last = min(right.map { position.saturatingSum($0) } ?? .max, (length ?? .max).saturatingSum(-1))
        for index in line.indices where index < first || index > last { line[index] = -.infinity }
    }
}

extension Int {
    /// The sum, or the limit that it is beyond.
    fileprivate func saturatingSum(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
