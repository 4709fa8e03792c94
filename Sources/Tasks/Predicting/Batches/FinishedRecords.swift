/// The positions in a list of records whose rows are written, as ranges: one range when rows come in order.
public struct FinishedRecords: Sendable, Equatable {
    /// The ranges, in rising order with gaps between them.
    public private(set) var ranges: [Range<Int>] = []

    /// Makes an empty set.
    public init() {}

    /// Makes a set of the first positions.
    package init(first count: Int) { if count > 0 { ranges = [0..<count] } }

    /// The position after the last one; 0 for an empty set.
    package var end: Int { ranges.last?.upperBound ?? 0 }

    /// The number of positions.
    public var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// Whether the set contains a position.
    public func contains(_ position: Int) -> Bool {
        let index = firstIndex(endingAfter: position)
        return index < ranges.count && ranges[index].contains(position)
    }

    /// Adds a position.
    public mutating func insert(_ position: Int) {
        var range = position..<position + 1
        let index = firstIndex(endingAfter: position)
        guard index == ranges.count || !ranges[index].contains(position) else { return }
        if index < ranges.count, ranges[index].lowerBound == range.upperBound {
            range = range.lowerBound..<ranges.remove(at: index).upperBound
        }
        if index > 0, ranges[index - 1].upperBound == range.lowerBound {
            ranges[index - 1] = ranges[index - 1].lowerBound..<range.upperBound
        } else {
            ranges.insert(range, at: index)
        }
    }

    /// The index of the first range that ends after `position`, by bisection.
    private func firstIndex(endingAfter position: Int) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Encoded as a list of pairs of first position and end: `[[0, 120], [128, 136]]`.
extension FinishedRecords: Codable {
    public init(from decoder: any Decoder) throws {
        let pairs = try decoder.singleValueContainer().decode([[Int]].self)
        var end = -1
        for pair in pairs {
            guard pair.count == 2, pair[0] > end, pair[0] >= 0, pair[1] > pair[0] else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "the finished records are not ranges"))
            }
            ranges.append(pair[0]..<pair[1])
            end = pair[1]
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(ranges.map { [$0.lowerBound, $0.upperBound] })
    }
}
