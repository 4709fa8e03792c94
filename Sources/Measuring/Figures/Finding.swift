/// A question that a reader has, and the answer in sentences.
public struct Finding: Sendable, Hashable, Encodable {
    /// Whether the answer is good news.
    public enum Tone: String, Sendable, Encodable {
        /// Neither good nor bad.
        case plain
        /// All is well.
        case good
        /// Something is wrong.
        case bad
    }

    /// The question.
    public let question: String
    /// The answer; the first sentence says it all.
    public let answer: [String]
    /// Whether it is good news.
    public let tone: Tone
}
