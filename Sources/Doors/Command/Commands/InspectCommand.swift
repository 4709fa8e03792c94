import Apus
import ArgumentParser
import SharedOptions

/// `apus inspect`: describes a model or a picture.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show a model's inputs, outputs, operators, size and metadata, or describe a recipe or picture.",
        discussion: """
            EXAMPLES:
              apus inspect squeezenet1_1.onnx
              apus inspect squeezenet1_1.onnx --nodes
              apus inspect squeezenet1_1.onnx --json | jq .parameters
              apus inspect ocr.recipe.json
              apus inspect photo.heic

            Of a picture it shows the format, size, orientation and color profile, what is
            done with its pixels before preprocessing, and whether they can be decoded.
            """)

    @OptionGroup var network: ModelOptions

    @Flag(help: "List every node.")
    var nodes = false

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() throws {
        network.restrictMemory()
        if let picture = try pictureReport() {
            return json ? try StandardOutput.write(json: picture) : try StandardOutput.write(picture.lines)
        }
        if RecipeFile.isRecipe(network.model) {
            let report = RecipeReport(
                try Recipe(
                    contentsOf: network.model, allowsFilesElsewhere: network.loading.recipeFilesAnywhere))
            return json ? try StandardOutput.write(json: report) : try StandardOutput.write(report.lines)
        }
        if FeatureModel.isNeeded(for: network.model) {
            let report = FeatureReport(
                try FeatureModel(contentsOf: network.model), network: try? Model(contentsOf: network.model))
            return json ? try StandardOutput.write(json: report) : try StandardOutput.write(report.lines)
        }
        let report = try ModelReport(try network.load(), includesNodes: nodes)
        if json { try StandardOutput.write(json: report) } else { try StandardOutput.write(report.lines) }
    }

    /// The report about the input when it is a picture; nil for anything else.
    private func pictureReport() throws -> PictureReport? {
        guard PictureReport.isPicture(network.model) else { return nil }
        do {
            return try PictureReport(network.model, try PictureReport.content(of: network.model))
        } catch let error as ImageError {
            throw ApusError.file(path: network.model, message: "\(error)")
        }
    }
}
