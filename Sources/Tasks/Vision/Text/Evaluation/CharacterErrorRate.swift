/// The share of characters that were read wrongly: the insertions, deletions and replacements that turn the texts read
/// into the true ones, ÷ the number of true characters.
///
///     var rate = CharacterErrorRate()
///     rate.add("he1lo", actual: "hello")
///     print(rate.value ?? 0)
///
/// Characters are those that people see, as Swift's `Character`. The rate may be more than 1.
public struct CharacterErrorRate: Sendable, Equatable {
    /// The number of insertions, deletions and replacements.
    public private(set) var errorCount = 0
    /// The number of true characters.
    public private(set) var characterCount = 0
    /// The number of texts.
    public private(set) var textCount = 0
    /// The number of texts without an error.
    public private(set) var rightCount = 0

    /// Makes a rate of no texts.
    public init() {}

    /// The rate; nil without true characters.
    public var value: Double? { characterCount > 0 ? Double(errorCount) / Double(characterCount) : nil }

    /// Adds a text.
    public mutating func add(_ text: String, actual: String) {
        let count = Self.distance(from: Array(text), to: Array(actual))
        errorCount += count
        characterCount += actual.count
        textCount += 1
        if count == 0 { rightCount += 1 }
    }

    /// The least number of insertions, deletions and replacements (Levenshtein's distance).
    static func distance(from text: [Character], to other: [Character]) -> Int {
        var row = Array(0...other.count)
        for (index, character) in text.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (other[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
