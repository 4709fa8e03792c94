import Tensors

/// The bias of Attention's scores: a mask, and −∞ for hidden keys.
struct AttentionBias {
    /// The mask, broadcast to the scores except for its last extent; −∞ represents false.
    private let mask: [Double]?
    private let maskWidth: Int
    /// The number of valid keys of each image.
    private let lengths: [Int64]?
    private let heads: Int
    private let rows: Int
    private let pastCount: Int?
    private let left: Int?
    private let right: Int?

    /// - Parameters:
    ///   - lengths: The number of valid keys of each image.
    ///   - pastCount: The number of keys before the position of the first query.
    ///   - scores: The extents of the scores: batch, heads, queries, keys.
    ///   - left: The number of keys before a query's position that it sees, nil for all; `right` likewise after it.
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

    /// Adds the bias to the scores of one query of head `head`, which is numbered through the batch.
    func add(to line: inout [Double], head: Int, row: Int) {
        if let mask {
            let first = (head * rows + row) * maskWidth
            for index in line.indices { line[index] += index < maskWidth ? mask[first + index] : -.infinity }
        }
        let length = lengths.map { Int(clamping: $0[head / heads]) }
        // Lengths are arbitrary numbers, whereas the other operands are extents.
        let offset = pastCount ?? length.map { max($0, -rows) - rows } ?? 0
        let position = offset.saturatingSum(row)
        let first = left.map { position.saturatingSum(-$0) } ?? 0
        let last = min(right.map { position.saturatingSum($0) } ?? .max, (length ?? .max).saturatingSum(-1))
        for index in line.indices where index < first || index > last { line[index] = -.infinity }
    }
}

extension Int {
    /// The sum, clipped to the range of `Int`.
    fileprivate func saturatingSum(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
