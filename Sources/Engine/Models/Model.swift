import Formats
import FoundationEssentials
import Graphs
import Images
import Platform
import Tensors

/// A network, with the preprocessing and the labels of its files.
///
///     let model = try Model(contentsOf: "squeezenet1_1.onnx")
///     print(model.name, model.graph.parameterCount)
///
/// A model is an immutable value that may be sent between tasks. It is not tied to a device: ``Session`` and
/// ``Classifier`` run it.
public struct Model: Sendable {
    /// The file's path as given, or `zoo:NAME`; errors begin with it.
    public let name: String
    /// The network as the file or the builder describes it.
    public let source: Graph
    /// The network after the portable rewrites; this is what runs.
    public let graph: Graph
    /// What each rewrite did, in order.
    package let rewrites: [RewriteReport]
    /// How images become inputs, when the model file or one beside it says so.
    public var preprocessing: Preprocessing?
    /// The classes in the order of the network's outputs, when the model file or one beside it names them.
    public var labels: Labels?
    /// How outputs become objects, when the metadata or a file beside the model say that it detects objects.
    public var detection: DetectionConfiguration?
    /// How outputs become instances, poses or landmarks, when the metadata or a file beside the model say so.
    public var decoding: DetectionConfiguration?
    /// The sources of ``preprocessing``, ``labels`` and ``detection``.
    public package(set) var origins = Origins()
    /// What the metadata or a file beside the model say that it is for; nil when they do not say.
    package var taskStatement: TaskStatement?
    /// Whether a file beside the model says that several classes of a picture may hold.
    package internal(set) var isMultiLabel = false
    /// The name of the output with a number for each class, when the model file gives it.
    package var scoresName: String?
    /// The channels of the outputs that are pictures according to the model file, by name.
    package var pictureOutputs: [String: PictureInput.Channels] = [:]
    /// The number in every element of an input that need not be given, by name.
    package var inputDefaults: [String: Double] = [:]
    /// What the inputs beside the picture are given, by name.
    public var inputValues: [String: InputValue] = [:]
    /// How images become the inputs that take pictures according to the model file, where there are several, by name.
    package var inputPreprocessing: [String: Preprocessing] = [:]
    /// What the reader of the model file passed over, in sentences for people.
    package var warnings: [String] = []
    /// The family of networks whose description fills what the model's files leave open.
    package var familyChoice = FamilyChoice.open
    /// What the model file does with the outputs after the network, if anything.
    package var continuation: ImportedModel.Continuation?

    /// Reads a model file, and the preprocessing and labels beside it.
    ///
    /// The format is recognised by content. Preprocessing is looked for in `processor_config.json` and
    /// `preprocessor_config.json` of Hugging Face and `config.json` of timm, labels in `config.json` of either; each of
    /// them first as `NAME.config.json` and so on, where `NAME` is the model's file name without extension. Then they
    /// are looked for in the model file itself, also in the metadata that ``export(to:options:)`` writes.
    ///
    /// Large weights stay in the file until a session needs them. The file may be replaced or deleted meanwhile. When
    /// it is changed in place, earlier sessions go on, and new ones throw ``ApusError/file(path:message:)``.
    ///
    /// - Parameter path: A file, a folder that is a Core ML package, or `zoo:NAME` for a network of the zoo with seeded
    ///   random weights.
    /// - Throws: ``ApusError``.
    public init(contentsOf path: String) throws(ApusError) {
        if path.hasPrefix("zoo:") {
            try self.init(zoo: String(path.dropFirst(4)))
            return
        }
        let (content, folder) = try FileContent.modelOrPackage(path)
        let imported: ImportedModel
        do {
            imported = try Catalog.formats.format(of: content).importModel(content, folder: folder)
        } catch {
            throw ApusError(error, path: path)
        }
        try self.init(imported, name: path)
        try readDescription(CompanionFiles(besideModel: path))
    }

    /// Reads the content of a model file. Nothing is looked for beside it.
    ///
    /// - Parameters:
    ///   - content: The bytes of a file of any format that ``init(contentsOf:)`` reads.
    ///   - name: The name with which errors begin.
    /// - Throws: ``ApusError``, also for a model whose weights are in other files.
    public init(content: Data, name: String) throws(ApusError) {
        MemoryBudget.process.earn(modelByteCount: content.count)
        let content = ModelContent(content)
        let imported: ImportedModel
        do {
            imported = try Catalog.formats.format(of: content).importModel(content, folder: nil)
        } catch {
            throw ApusError(error, path: name)
        }
        try self.init(imported, name: name)
        try readDescription(CompanionFiles())
    }

    /// Makes a model from the content of a file.
    package init(_ imported: ImportedModel, name: String) throws(ApusError) {
        try self.init(imported.graph, name: name)
        if imported.pictures.count == 1, let picture = imported.pictures.first {
            (preprocessing, origins.preprocessing) = (
                Preprocessing(picture, for: imported.graph), Origin(picture.source)
            )
        }
        if imported.pictures.count > 1 {
            for picture in imported.pictures {
                inputPreprocessing[picture.name] = Preprocessing(picture, for: imported.graph)
            }
        }
        (pictureOutputs, inputDefaults) = (imported.pictureOutputs, imported.inputDefaults)
        warnings = imported.warnings
        if let names = imported.labels { (labels, origins.labels) = (Labels(names), Origin(imported.labelsSource)) }
        (scoresName, continuation) = (imported.scoresName, imported.continuation)
        if case .suppression(let suppression)? = continuation {
            (detection, origins.detection) = (DetectionConfiguration(suppression), .model)
        }
    }

    /// Makes a model from a graph.
    ///
    /// - Parameter name: The name with which errors begin; by default that of the graph.
    /// - Throws: ``ApusError`` when the graph is not valid.
    public init(_ graph: Graph, name: String? = nil) throws(ApusError) {
        let name = name ?? graph.name
        do {
            try graph.validate()
            let decluttered = try Rewrites.declutterWithBodies(graph)
            self.graph = decluttered.graph
            rewrites = decluttered.reports
        } catch {
            throw ApusError(error, model: name)
        }
        self.name = name
        source = graph
    }

    /// Makes a network of the zoo with random weights.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the zoo has no such network.
    public init(zoo name: String, seed: UInt64 = 0) throws(ApusError) {
        guard let network = Networks.find(name) else {
            let names = Networks.all.map(\.name).joined(separator: ", ")
            throw .usage("zoo:\(name): no such network; the zoo has \(names)")
        }
        do {
            let graph = try network.build()
            MemoryBudget.process.earn(modelByteCount: graph.parameterCount * MemoryLayout<Float>.size)
            try self.init(try graph.seeded(seed), name: "zoo:\(name)")
            taskStatement = TaskStatement(network)
        } catch {
            throw ApusError(error, model: "zoo:\(name)")
        }
    }
}
