import Apus
import ArgumentParser

extension ExpressibleByArgument {
    /// Makes a parser of values whose error describes the expected form.
    ///
    /// - Parameter form: The expected form, such as `a size such as 800M`.
    package static func reading(_ form: String) -> @Sendable (String) throws -> Self {
        { text in
            guard let value = Self(argument: text) else { throw ValidationError("it should be \(form)") }
            return value
        }
    }
}

extension ParsableArguments {
    /// What is wrong with arguments, on one line.
    package static func lineOfMessage(for error: any Error) -> String {
        message(for: error).split(whereSeparator: \.isNewline).map { $0.trimming(" ") }.joined(separator: " ")
    }
}

extension StringProtocol {
    fileprivate func trimming(_ character: Character) -> SubSequence {
        let end = lastIndex { $0 != character }.map(index(after:)) ?? startIndex
        return self[..<end].drop { $0 == character }
    }
}

extension Shard: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
