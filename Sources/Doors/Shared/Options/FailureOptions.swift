import ArgumentParser

/// The options for pictures that cannot be predicted.
package struct FailureOptions: ParsableArguments {
    package init() {}

    package enum Reaction: String, CaseIterable, ExpressibleByArgument {
        case skip, stop
    }

    @Option(help: ArgumentHelp("After an error row go on (skip), or end the run (stop).", valueName: "reaction"))
    package var onError = Reaction.skip

    @Option(help: ArgumentHelp("End the run when there are more error rows than this.", valueName: "count"))
    package var maxErrors: Int?

    package func validate() throws {
        if let maxErrors { try ExecutionOptions.check(maxErrors, "--max-errors", from: 0) }
    }

    /// The maximum number of error rows; nil for any number.
    package var limit: Int? { onError == .stop ? 0 : maxErrors }
}
