import Platform

/// A sum of hashes modulo 2⁶⁴, which does not depend on their order.
package struct HashSum: Sendable, Equatable {
    private var value: UInt64 = 0

    /// Makes an empty sum.
    package init() {}

    /// Adds a hash.
    package mutating func add(_ hash: StableHash) { value &+= UInt64(truncatingIfNeeded: hash.value) }

    /// The sum as 16 hexadecimal digits.
    package var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Encoded as text, since some readers of JSON round 64-bit numbers.
extension HashSum: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = UInt64(try container.decode(String.self), radix: 16) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a sum of hashes is no number")
        }
        self.value = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
