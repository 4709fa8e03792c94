import ArgumentParser

/// What `--help` prints, with its sections in the order in which people need them.
struct HelpText {
    private let text: String

    init(_ text: String) { self.text = text }

    /// The text with the section of examples, which the parser puts after the overview, in front.
    var examplesFirst: String {
        guard let start = text.range(of: "EXAMPLES:\n"),
            let end = text.range(of: "\n\n", range: start.upperBound..<text.endIndex)
        else { return text }
        let examples = text[start.lowerBound..<end.upperBound]
        return String(examples + text[..<start.lowerBound] + text[end.upperBound...])
    }
}

extension ParsableCommand {
    /// What is wrong with the arguments, on one line, and where to read on.
    static func usageMessage(for error: any Error, _ arguments: [String]) -> String {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        if let first = arguments.first, !first.hasPrefix("-"), !names.contains(first), first != "help" {
            return "there is no command \"\(first)\"; the commands are \(names.joined(separator: ", "))"
        }
        let lines = message(for: error).split(whereSeparator: \.isNewline)
        let message = lines.map { $0.trimming(" ") }.joined(separator: " ")
        let command = arguments.first.flatMap { names.contains($0) ? " \($0)" : nil } ?? ""
        return "\(message.prefix(1).lowercased())\(message.dropFirst()) (see apus\(command) --help)"
    }
}

extension StringProtocol {
    fileprivate func trimming(_ character: Character) -> SubSequence {
        let end = lastIndex { $0 != character }.map(index(after:)) ?? startIndex
        return self[..<end].drop { $0 == character }
    }
}
