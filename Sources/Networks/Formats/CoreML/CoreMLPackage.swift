import FoundationEssentials

/// A folder that holds a Core ML model, its weights, and a manifest with their paths.
package struct CoreMLPackage {
    private let folder: URL
    private static let manifestName = "Manifest.json"
    private static let maximumManifestBytes = 1 << 20

    /// The package at a URL; nil when there is no folder that looks like a package.
    package init?(_ folder: URL) {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder else {
            return nil
        }
        let names = [Self.manifestName, "coremldata.bin"]
        guard names.contains(where: { FileManager.default.fileExists(atPath: folder.appending(path: $0).path) }) else {
            return nil
        }
        self.folder = folder
    }

    private struct Manifest: Decodable {
        struct Item: Decodable {
            let path: String
        }
        let itemInfoEntries: [String: Item]
        let rootModelIdentifier: String
    }

    /// Reads the model's content, and returns it with the folder to which its paths are relative.
    ///
    /// - Throws: ``FormatError``.
    package func model() throws(FormatError) -> (content: ModelContent, folder: URL) {
        guard FileManager.default.fileExists(atPath: folder.appending(path: Self.manifestName).path) else {
            throw .unsupported(
                "the folder is a compiled Core ML model; give the .mlmodel or .mlpackage it was made from")
        }
        let file = try ModelFile(Self.manifestName, in: folder)
        guard file.byteCount <= Self.maximumManifestBytes else { throw .invalid("the manifest is too long") }
        let manifest: Manifest
        do {
            manifest = try JSONDecoder().decode(Manifest.self, from: try ModelContent(file).allBytes())
        } catch let error as FormatError {
            throw error
        } catch {
            throw .invalid("the manifest is damaged, or names no model")
        }
        guard let item = manifest.itemInfoEntries[manifest.rootModelIdentifier] else {
            throw .invalid("the manifest has no entry for the model")
        }
        let path = "Data/\(item.path)"
        do throws(FormatError) {
            let content = ModelContent(try ModelFile(path, in: folder))
            return (content, folder.appending(path: path).deletingLastPathComponent())
        } catch {
            throw error.about("the manifest")
        }
    }
}
