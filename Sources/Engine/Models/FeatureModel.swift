import Features
import Formats
import Glibc
import Graphs
import Platform

/// A model of named features: a network, a classical model such as a tree ensemble, or a pipeline of both.
///
///     let model = try FeatureModel(contentsOf: "HousePricer.mlmodel")
///     let session = try await FeatureSession(model)
///     let outputs = try await session.predict(["rooms": 3, "area": 71.5])
///     if case .double(let price) = outputs["price"] { print(price) }
///
/// A model is an immutable value that may be sent between tasks.
public struct FeatureModel: Sendable {
    /// The file's path as given; errors begin with it.
    public let name: String
    /// The features that the model takes.
    public var inputs: [FeatureDescription] { content.inputs }
    /// The features that the model gives.
    public var outputs: [FeatureDescription] { content.outputs }
    /// The kind of model, as the format calls it, such as `treeEnsembleClassifier`.
    public var kind: String { content.kind }
    /// What the file says about itself: author, license, description, version and custom entries.
    public var metadata: [String: String] { content.metadata }
    package let content: ImportedFeatureModel

    /// Reads a Core ML model or package.
    ///
    /// - Throws: ``ApusError``.
    public init(contentsOf path: String) throws(ApusError) {
        let (content, folder) = try FileContent.modelOrPackage(path)
        do {
            self.content = try CoreMLFormat().importFeatures(content, folder: folder)
        } catch {
            throw ApusError(error, path: path)
        }
        name = path
    }

    /// Whether a file holds a model of features that ``Model`` cannot read, because it is not a single network.
    public static func isNeeded(for path: String) -> Bool {
        // A pipe can be read only once.
        var status = stat()
        guard stat(path, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT),
            let (content, _) = try? FileContent.modelOrPackage(path)
        else { return false }
        return CoreMLFormat().holdsFeatureModel(content)
    }

    /// The kinds of the models in a pipeline, in order; for another model its own kind.
    public var kinds: [String] {
        guard case .pipeline(let stages) = content.content else { return [kind] }
        return stages.map(\.kind)
    }
}
