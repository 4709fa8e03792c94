import Apus
import ArgumentParser
import FoundationEssentials

/// `apus demo`: predicts the photos that come with the command.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Predict four bundled photos with a bundled network, and say what to try next.",
        discussion: """
            EXAMPLES:
              apus demo
            """)

    func run() async throws {
        let installation = Installation()
        guard let network = installation.network, let photos = installation.photos else {
            throw ApusError.usage(
                "the network and the photos of the demonstration are not installed; apus predict takes others")
        }
        try StandardOutput.write(["$ apus predict \(network.path) \(photos.path)"])
        let predict = try PredictCommand.parse([network.path, photos.path, "--format", "table", "--quiet"])
        try await predict.run()
        try StandardOutput.write([
            "",
            "What to try next:",
            "  apus predict \(network.path) YOUR-PHOTOS/ -o results.csv",
            "  apus inspect YOUR-MODEL.onnx     what a network takes and gives",
            "  apus plan \(network.path) --why  what runs each layer, and why",
            "  apus bench \(network.path)       how fast it is on this machine",
            "  apus doctor                      what would make this machine faster",
        ])
    }
}
