import ArgumentParser

extension ParsableCommand {
    /// The message about wrong arguments, on one line, with the help command.
    static func usageMessage(for error: any Error, _ arguments: [String]) -> String {
        if let message = unknownCommand(arguments) { return message }
        var message = lineOfMessage(for: error)
        if message.hasPrefix("Missing value for "), let pair = valueWithDash(arguments) {
            message += ": a value that begins with \"-\" is written \(pair.option)=\(pair.value)"
        }
        let command = arguments.first.flatMap { commandNames.contains($0) ? " \($0)" : nil } ?? ""
        return "\(message.prefix(1).lowercased())\(message.dropFirst()) (see apus\(command) --help)"
    }

    /// The first option followed by a value that looks like an option, with that value.
    private static func valueWithDash(_ arguments: [String]) -> (option: String, value: String)? {
        zip(arguments, arguments.dropFirst()).first { option, value in
            option.hasPrefix("--") && !option.contains("=") && value.hasPrefix("-") && !value.hasPrefix("--")
                && value.count > 2
        }.map { (option: $0, value: $1) }
    }

    private static var commandNames: [String] { configuration.subcommands.compactMap { $0.configuration.commandName } }

    /// The message when the arguments name an unknown command, also in a request for its help.
    static func unknownCommand(_ arguments: [String]) -> String? {
        var words = arguments[...]
        let isAboutHelp = words.first == "help"
        if isAboutHelp { words = words.dropFirst() }
        let names = commandNames
        if let first = words.first, !first.hasPrefix("-"), !names.contains(first) {
            return "there is no command \"\(first)\"; the commands are \(names.joined(separator: ", "))"
        }
        if isAboutHelp, let second = words.dropFirst().first(where: { !$0.hasPrefix("-") }) {
            return "help is about one command, and \"\(second)\" is one more"
        }
        return nil
    }

    /// The arguments with every negative number joined to the option before it. No option is named by a number.
    static func joiningNegativeNumbers(_ arguments: [String]) -> [String] {
        var joined: [String] = []
        var isOver = false
        for argument in arguments {
            isOver = isOver || argument == "--"
            if !isOver, argument.wholeMatch(of: /-\.?[0-9].*/) != nil, let last = joined.last,
                last.wholeMatch(of: /--[a-z][-a-z]*/) != nil
            {
                joined[joined.count - 1] = "\(last)=\(argument)"
            } else {
                joined.append(argument)
            }
        }
        return joined
    }
}
