import Apus
import ArgumentParser

/// The options for the model and its memory.
package struct ModelOptions: ParsableArguments {
    package init() {}

    @Argument(help: ArgumentHelp("A model file, or zoo:NAME.", valueName: "model"), completion: .file())
    package var model: String

    @OptionGroup package var loading: ModelLoadingOptions

    /// The seed of a zoo network's random weights.
    package var seed: UInt64 { loading.seed }

    /// Limits the memory of the process.
    package func restrictMemory(streams: Int = 1) { loading.restrictMemory(streams: streams) }

    /// Reads the model.
    package func load(streams: Int = 1) throws(ApusError) -> Model { try loading.load(model, streams: streams) }
}

/// The options for reading a model, whatever its name.
package struct ModelLoadingOptions: ParsableArguments {
    package init() {}

    @Option(help: ArgumentHelp("The seed of a zoo network's random weights.", valueName: "number"))
    package var seed: UInt64 = 0

    @Option(
        help: ArgumentHelp(
            """
            The family of networks, whose makers' preprocessing, labels and reading of outputs hold where the model's \
            files say nothing (default: the one that the outputs tell); none for no family. apus inspect shows it.
            """, valueName: "name"), completion: .list(["none"] + Catalog.familyNames))
    package var family: String?

    @Flag(help: "Let a recipe name files outside its folder.")
    package var recipeFilesAnywhere = false

    @Option(
        help: ArgumentHelp(
            """
            The maximum memory for tensors, such as 800M or 4G (default: 512M, 256K for each byte of the model and 256M \
            for each further stream, but at most three quarters of the memory of the machine and its control group).
            """, valueName: "size"), transform: MemorySize.reading("a size such as 800M or 4G"))
    package var memoryLimit: MemorySize?

    /// Limits the memory of the process.
    package func restrictMemory(streams: Int = 1) {
        if let memoryLimit {
            MemoryBudget.process.limit = memoryLimit.byteCount
        } else {
            MemoryBudget.process.restrict(to: MemorySize.standard(streams: streams).byteCount)
        }
    }

    /// Reads a model.
    package func load(_ model: String, streams: Int = 1) throws(ApusError) -> Model {
        restrictMemory(streams: streams)
        return try self.model(model)
    }

    /// Reads a model, with whatever memory the process may use.
    package func model(_ model: String) throws(ApusError) -> Model {
        let prefix = "zoo:"
        if model.hasPrefix(prefix) { return try Model(zoo: String(model.dropFirst(prefix.count)), seed: seed) }
        let model = try Model(contentsOf: model)
        return if let family { try model.describedByFamily(family) } else { model.describedByFamily() }
    }
}
