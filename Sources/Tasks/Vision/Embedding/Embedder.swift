import Graphs
import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A session that takes pictures and gives vectors by which they are compared.
///
///     let embedder = try await Embedder(Model(contentsOf: "dinov2_small.onnx"))
///     let first = try await embedder.predict(.file("coffee.png"))
///     let second = try await embedder.predict(.file("tea.png"))
///     print(first.cosineSimilarity(to: second) ?? 0)
///
/// Any network gives vectors: ``Options/output`` names the value, such as the one before the last layer of a
/// classifier. Every method may be called from any task.
public final class Embedder: Sendable {
    /// The options of an embedder.
    public struct Options: Sendable {
        /// The value that is read: an output, or the result of any node by its name. Nil for the output whose name says
        /// that it is an embedding, or else the first.
        public var output: String?
        /// How the tokens [L, C] of a picture become one vector. Of maps the mean is taken.
        public var pooling: Pooling
        /// Whether vectors are divided by their length, √Σ x².
        public var isNormalized: Bool

        /// Makes options.
        public init(output: String? = nil, pooling: Pooling = .mean, isNormalized: Bool = true) {
            (self.output, self.pooling, self.isNormalized) = (output, pooling, isNormalized)
        }
    }

    /// The session that runs the network.
    public let session: Session
    /// The options.
    public let options: Options
    /// The name of the value that is read.
    public let outputName: String
    /// The number of elements of a vector; nil when it depends on the picture.
    public var vectorCount: Int? { options.pooling.extent(outputs.outputs.first?.extents, pictures.input.layout) }
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { pictures.input.preprocessing }

    package let pictures: PicturePreparation
    package let outputs: PictureOutputs

    /// Starts an embedder.
    ///
    /// - Parameters:
    ///   - embedding: The value to read, and how it becomes a vector.
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, has no such value, or gives
    ///   neither a vector nor tokens nor maps; otherwise as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), embedding: Options = Options(),
        preprocessing: Preprocessing? = nil, decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        var model = model.describedByFamily()
        guard let name = embedding.output ?? Self.customaryOutput(of: model) else {
            throw .usage("\(model.name): has no outputs")
        }
        model = try model.giving(name)
        let input = try ImageInput(model, preprocessing: preprocessing)
        outputs = PictureOutputs(model)
        if let extents = outputs.outputs.first?.extents, !(1...3).contains(extents.count) {
            throw .usage(
                "\(model.name): output \"\(name.printable)\" has \(extents.count) axes for each picture; a vector, tokens "
                    + "or maps have 1 to 3")
        }
        self.options = embedding
        outputName = name
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    /// The output whose name says that it is an embedding; else the first with one vector for each picture, or the
    /// first.
    private static func customaryOutput(of model: Model) -> String? {
        let graph = model.graph
        let outputs = graph.outputs.map { graph[$0] }
        let named = outputNames.lazy.compactMap { part in outputs.first { $0.name.lowercased().contains(part) } }.first
        return (named ?? outputs.first { $0.shape?.rank == 2 } ?? outputs.first)?.name
    }

    /// Parts of the names that say that an output is an embedding, the surest first.
    private static let outputNames = ["embed", "pooler", "pooled", "feature", "last_hidden_state"]

    /// Whether an output of this name is an embedding by its name.
    package static func isNameOfOutput(_ name: String) -> Bool {
        let name = name.lowercased()
        return outputNames.contains { name.contains($0) }
    }
}

extension Embedder: PictureReader {
    public var core: PredictorCore<ImageEmbedding> { PredictorCore(self) }

    package var labels: Labels? { nil }
    package var rowShape: [Int]? { vectorCount.map { [$0] } }

    package var settings: [String: String] {
        [
            "task": VisionTask.embed.rawValue, "output": outputName, "pooling": options.pooling.rawValue,
            "normalize": "\(options.isNormalized)",
        ]
    }

    package func answer(from rows: [Tensor], to picture: PreparedPicture) throws -> ImageEmbedding {
        let vector = try options.pooling.vector(of: outputs.firstNumbers(of: rows), pictures.input.layout)
        try RecordError.checkFinite(vector, "numbers of the vector")
        return ImageEmbedding(options.isNormalized ? ImageEmbedding.normalized(vector) : vector)
    }
}
