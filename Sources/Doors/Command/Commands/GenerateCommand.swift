import Apus
import ArgumentParser
import FoundationEssentials
import Generation
import SharedOptions

/// `apus generate`: writes a Swift type for a model.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Write a Swift type for a model: its inputs, outputs and predictions.",
        discussion: """
            EXAMPLES:
              apus generate squeezenet1_1.onnx -o SqueezeNet.swift
              apus generate squeezenet1_1.onnx --name Classifier --public

            The type has Input and Output with a property for every input and output of
            the model, and the methods prediction(image:), prediction(input:) and
            predictions(_:). It is named after the output file, or else the model. The
            package plugin ApusModels writes such types for all models among the resources
            of a target.
            """)

    @OptionGroup var network: ModelOptions

    @Option(
        name: [.short, .long], help: ArgumentHelp("The output; - is standard output.", valueName: "file"),
        completion: .file())
    var output = "-"

    @Option(help: ArgumentHelp("The name of the type.", valueName: "name"))
    var name: String?

    @Flag(help: "Let other modules use the type.")
    var `public` = false

    @Flag(help: "Find the model among the resources of the module (Bundle.module).")
    var bundled = false

    @OptionGroup var writing: WritingOptions

    func run() throws {
        var claims = writing.claims(model: network.model)
        if output != "-" { try claims.add(output, as: .swiftType, option: "--output") }
        var options = SwiftWrapper.Options()
        options.typeName = name ?? (output == "-" ? nil : stem(of: output))
        options.isPublic = `public`
        options.isBundled = bundled
        network.restrictMemory()
        let wrapper =
            FeatureModel.isNeeded(for: network.model)
            ? SwiftWrapper(try FeatureModel(contentsOf: network.model), options: options)
            : SwiftWrapper(try network.load(), options: options)
        guard output != "-" else { return try OutputFile.standardOutput().write(wrapper.text) }
        try wrapper.write(to: output)
    }

    private func stem(of path: String) -> String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }
}
