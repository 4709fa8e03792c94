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

    /// - Parameters:
    ///   - scores: Batch, heads, queries, keys.
    ///   - pastCount: How many keys come before the first query's own, where later ones may not be seen.
    init(mask: Tensor?, lengths: Tensor?, scores: [Int], pastCount: Int?) throws {
        (heads, rows) = (scores[1], scores[2])
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
        let seen = min(pastCount.map { $0 + row + 1 } ?? .max, lengths.map { Int($0[head / heads]) } ?? .max)
        for index in line.indices where index >= seen { line[index] += -.infinity }
    }
}
