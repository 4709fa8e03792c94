import ArgumentParser

/// How long configurations are compared, and how closely.
package struct ComparisonOptions: ParsableArguments {
    package init() {}

    @Option(help: ArgumentHelp("Rounds, in each of which every configuration runs.", valueName: "count"))
    package var rounds = 10

    @Option(help: ArgumentHelp("The time for each configuration in all rounds together.", valueName: "seconds"))
    package var seconds = 3.0

    @Option(help: ArgumentHelp("The largest relative error that still counts as agreement.", valueName: "number"))
    package var tolerance = 1e-3

    @Option(help: ArgumentHelp("The maximum number of inputs on which outputs are compared.", valueName: "count"))
    package var limit = 16

    @Flag(help: "Do not compare outputs.")
    package var noAgreement = false

    package func validate() throws {
        try ExecutionOptions.check(rounds, "--rounds", atMost: 1000)
        try ExecutionOptions.check(limit, "--limit", atMost: 100_000)
        guard seconds > 0, seconds <= 3600 else { throw ValidationError("--seconds is between 0 and 3600") }
        guard tolerance >= 0, tolerance.isFinite else { throw ValidationError("--tolerance is a number from 0 up") }
    }
}
