/// A question about a report, and its answer in sentences.
public struct Finding: Sendable, Hashable, Encodable {
    /// The assessment of an answer.
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
    /// The sentences of the answer; the first one is its summary.
    public let answer: [String]
    /// The assessment of the answer.
    public let tone: Tone
}
