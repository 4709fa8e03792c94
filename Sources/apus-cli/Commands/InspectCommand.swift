import Apus
import ArgumentParser

/// `apus inspect`: describes a model.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show a model's inputs, outputs, operators, size and metadata.",
        discussion: """
            EXAMPLES:
              apus inspect squeezenet1_1.onnx
              apus inspect squeezenet1_1.onnx --nodes
              apus inspect squeezenet1_1.onnx --json | jq .parameters
            """)

    @OptionGroup var network: ModelOptions

    @Flag(help: "List every node.")
    var nodes = false

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() throws {
        network.restrictMemory()
        if FeatureModel.isNeeded(for: network.model) {
            let report = FeatureReport(
                try FeatureModel(contentsOf: network.model), network: try? Model(contentsOf: network.model))
            return json ? try Answer.write(json: report) : try Answer.write(report.lines)
        }
        let report = try ModelReport(try network.load(), includesNodes: nodes)
        if json { try Answer.write(json: report) } else { try Answer.write(report.lines) }
    }
}
