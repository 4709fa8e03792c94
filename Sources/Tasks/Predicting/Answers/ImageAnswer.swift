import Images
import Preparation

/// What a network found in one picture, for those who learn the task only while they run.
///
///     let answer = try await runner.predict(.file("page.png"))
///     if let text = answer.text { print(text.string) }
///
/// Each kind of answer is a property that is nil for the others.
public struct ImageAnswer: Sendable {
    /// The answer of the task.
    package let base: any TaskAnswer

    package init(_ base: some TaskAnswer) { self.base = base }

    /// The answer of a type; nil when it is of another.
    public func `as`<Answer: Sendable>(_ type: Answer.Type = Answer.self) -> Answer? { base as? Answer }

    /// The answer of a type.
    ///
    /// - Throws: ``RecordError`` when it is of another.
    package func required<Answer: TaskAnswer>(as type: Answer.Type = Answer.self) throws(RecordError) -> Answer {
        if let answer = self.as(type) { return answer }
        let message = "the answer is of the kind \"\(Swift.type(of: base).name)\", not \"\(type.name)\""
        throw RecordError(stage: "predict", code: "no-\(type.name)", message: message)
    }

    /// The answer to a part, with boxes and points in the whole picture; see ``TaskAnswer/placed(by:in:)``.
    package func placed(by crop: RegionCrop, in size: ImageSize) -> ImageAnswer {
        ImageAnswer(base.placed(by: crop, in: size))
    }

    /// The kind of this answer.
    public var content: Content { Content(type(of: base)) }

    /// The size of the upright picture in pixels, where the answer knows it.
    package var imageSize: ImageSize? { base.pictureSize }

    /// The answer in a few words.
    package var summary: String { base.summary }
}

extension ImageAnswer {
    /// A kind of answers that a run gives.
    public struct Content: Sendable {
        /// The type of the answers.
        package let type: any TaskAnswer.Type

        package init(_ type: any TaskAnswer.Type) { self.type = type }

        /// The kind in options, rows and messages, such as `depth`.
        public var rawValue: String { type.kind }
    }
}

extension ImageAnswer.Content: Hashable {
    public static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
