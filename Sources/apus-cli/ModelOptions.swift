import Apus
import ArgumentParser

/// Which network.
struct ModelOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("A model file, or zoo:NAME.", valueName: "model"))
    var model: String

    @Option(help: ArgumentHelp("Which random weights a network of the zoo gets.", valueName: "number"))
    var seed: UInt64 = 0

    /// Reads the model.
    func load() throws(ApusError) -> Model {
        let prefix = "zoo:"
        guard model.hasPrefix(prefix) else { return try Model(contentsOf: model) }
        return try Model(zoo: String(model.dropFirst(prefix.count)), seed: seed)
    }
}
