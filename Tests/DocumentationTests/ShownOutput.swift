import Foundation

/// What an example shows of a command's output.
struct ShownOutput {
    private let lines: [String]

    init(_ lines: [String]) { self.lines = lines }

    /// Whether printed lines are the shown ones, where a line `…` is any number of lines.
    func matches(_ printed: [String]) -> Bool { Self.match(lines[...], printed[...]) }

    private static func match(_ shown: ArraySlice<String>, _ printed: ArraySlice<String>) -> Bool {
        guard let line = shown.first else { return printed.isEmpty }
        if line.trimmingCharacters(in: .whitespaces) == "…" {
            return (printed.startIndex...printed.endIndex).contains { match(shown.dropFirst(), printed[$0...]) }
        }
        guard let first = printed.first else { return false }
        return matches(line, first) && match(shown.dropFirst(), printed.dropFirst())
    }

    /// Whether a printed line is a shown one, where `…` is any text and a number with a decimal point nearly the same.
    static func matches(_ shown: String, _ printed: String) -> Bool {
        let number = /\d+\.\d+/
        let pattern = shown.components(separatedBy: "…").map { part in
            part.split(separator: number, omittingEmptySubsequences: false)
                .map { NSRegularExpression.escapedPattern(for: String($0)) }
                .joined(separator: "(\\d+\\.\\d+)")
        }.joined(separator: ".*")
        guard let expression = try? NSRegularExpression(pattern: "^\(pattern)$"),
            let match = expression.firstMatch(in: printed, range: NSRange(printed.startIndex..., in: printed))
        else { return false }
        let expected = shown.matches(of: number).map { Double($0.output) ?? 0 }
        guard expected.count == match.numberOfRanges - 1 else { return false }
        return expected.enumerated().allSatisfy { index, value in
            guard let range = Range(match.range(at: index + 1), in: printed), let found = Double(printed[range])
            else { return false }
            return abs(found - value) <= 0.001 * abs(value) + 1e-6
        }
    }
}
