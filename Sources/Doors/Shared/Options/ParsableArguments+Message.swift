import ArgumentParser

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
