import FoundationEssentials

/// The files that are installed with the command: `share/apus` beside the folder of the program, or the fixtures of a
/// checkout in which the command was built.
struct Installation {
    /// The folder of the program.
    private let folder: URL

    /// The path of the program.
    static var program: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/proc/self/exe"
    }

    init() { folder = URL(fileURLWithPath: Self.program).deletingLastPathComponent() }

    /// The folder `share/apus` of an installed command; nil for a command in a checkout.
    var share: URL? { existing(folder.deletingLastPathComponent().appendingPathComponent("share/apus")) }

    /// The network of the demonstration.
    var network: URL? { demonstration("squeezenet1_1.onnx") ?? fixture("models/squeezenet1_1.onnx") }

    /// The photos of the demonstration.
    var photos: URL? { demonstration("photos") ?? fixture("photos") }

    private func demonstration(_ name: String) -> URL? {
        share.flatMap { existing($0.appendingPathComponent("demo/\(name)")) }
    }

    /// A file of `Tests/Fixtures` in the nearest folder above the program that has it.
    private func fixture(_ name: String) -> URL? {
        var above = folder
        while above.path != "/" {
            if let file = existing(above.appendingPathComponent("Tests/Fixtures/\(name)")) { return file }
            above.deleteLastPathComponent()
        }
        return nil
    }

    private func existing(_ url: URL) -> URL? { FileManager.default.fileExists(atPath: url.path) ? url : nil }
}
