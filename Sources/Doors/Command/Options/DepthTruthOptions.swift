import Apus
import ArgumentParser

/// The options for comparing depths with measured ones.
struct DepthTruthOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many of the numbers in the files of --truth make one unit of depth: 1000 for files in millimeters, to "
                + "compare meters (default: 1).",
            valueName: "number"))
    var depthUnit: Double?

    @Option(
        help: ArgumentHelp(
            "How the network's numbers become depths, picture by picture: none, median (multiplied so that medians "
                + "agree) or least-squares (multiplied and shifted) (default: none).",
            valueName: "how"))
    var depthAlignment: DepthEvaluation.Alignment?

    @Flag(help: "The network's numbers are inverse depths, larger where things are nearer.")
    var inverseDepth = false

    @Option(
        help: ArgumentHelp(
            "The largest depth that is compared; deeper predictions become this one (default: the largest of each "
                + "picture).",
            valueName: "number"))
    var maxDepth: Double?

    func validate() throws {
        for (name, value) in [("--depth-unit", depthUnit), ("--max-depth", maxDepth)] {
            if let value, !(value > 0 && value.isFinite) {
                throw ValidationError("\(name) must be a positive number, not \(value)")
            }
        }
    }

    /// Whether any of the options is given.
    var isMentioned: Bool { depthUnit != nil || depthAlignment != nil || inverseDepth || maxDepth != nil }

    /// What the network's numbers mean.
    var options: DepthEvaluation.Options {
        .init(alignment: depthAlignment ?? .none, isInverse: inverseDepth, maximumDepth: maxDepth)
    }
}

extension DepthEvaluation.Alignment: ExpressibleByArgument {}
