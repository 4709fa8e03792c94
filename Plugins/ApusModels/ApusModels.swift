import Foundation
import PackagePlugin

/// Writes a Swift type for every model among the resources of a target, as `apus generate` does.
@main
struct ApusModels: BuildToolPlugin {
    private static let extensions: Set = ["onnx", "mlmodel", "mlpackage", "tflite"]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let tool = try context.tool(named: "apus-cli")
        var commands: [Command] = []
        var files: [String: String] = [:]
        for file in module.sourceFiles where Self.extensions.contains(file.url.pathExtension.lowercased()) {
            // Files inside an .mlpackage folder are parts of that model.
            if file.url.deletingLastPathComponent().path.contains(".mlpackage") { continue }
            guard file.type == .resource else {
                Diagnostics.error(
                    "\(file.url.lastPathComponent): not a resource of \(target.name); see resources: in Package.swift")
                continue
            }
            let stem = file.url.deletingPathExtension().lastPathComponent
            // Files with different folders or extensions may give types of the same name.
            if let other = files.updateValue(file.url.lastPathComponent, forKey: Self.commonName(stem)) {
                Diagnostics.error(
                    "\(other) and \(file.url.lastPathComponent): their types would have one name in \(target.name); rename one"
                )
                continue
            }
            let output = context.pluginWorkDirectoryURL.appending(path: stem + ".swift")
            commands.append(
                .buildCommand(
                    displayName: "Writing a type for \(file.url.lastPathComponent)", executable: tool.url,
                    arguments: ["generate", file.url.path, "-o", output.path, "--name", stem, "--bundled"],
                    inputFiles: [file.url] + companions(of: file.url, in: module), outputFiles: [output]))
        }
        return commands
    }

    /// A key that is equal for file names that give types of the same name.
    private static func commonName(_ stem: String) -> String {
        let words = stem.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
        return words.joined(separator: "_").lowercased()
    }

    /// The files beside a model that its type depends on.
    private func companions(of model: URL, in module: any SourceModuleTarget) -> [URL] {
        let stem = model.deletingPathExtension().lastPathComponent + "."
        return module.sourceFiles.map(\.url).filter { file in
            file.pathExtension == "json" && file.lastPathComponent.hasPrefix(stem)
                && file.deletingLastPathComponent() == model.deletingLastPathComponent()
        }
    }
}
