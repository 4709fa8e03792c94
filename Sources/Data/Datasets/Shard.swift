import Platform

/// One of several parts of a dataset, chosen by a hash of each record's id. A record stays in its part when the dataset
/// grows.
///
///     let shard = Shard("2/4")      // the second of four
public struct Shard: Sendable, Equatable {
    /// The number of the part, from 1.
    public let number: Int
    /// The number of parts.
    public let count: Int

    /// Makes a shard; nil unless 1 ≤ number ≤ count.
    public init?(number: Int, count: Int) {
        guard count >= 1, (1...count).contains(number) else { return nil }
        self.number = number
        self.count = count
    }

    /// Reads `I/N`; nil unless 1 ≤ I ≤ N.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1] else { return nil }
        self.init(number: number, count: count)
    }

    /// Whether the record with this id belongs to the shard.
    public func contains(_ id: String) -> Bool {
        StableHash.value(of: id) % UInt128(count) == UInt128(number - 1)
    }
}

extension Shard: CustomStringConvertible {
    public var description: String { "\(number)/\(count)" }
}
