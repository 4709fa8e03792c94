import Platform
import Predicting
import Runs
import Tensors
import Vision

/// The vectors that a run of ``Embedder`` wrote, in which pictures like others are found.
///
///     let index = try EmbeddingIndex(contentsOf: "vectors.npy")
///     for neighbor in try await index.neighbors(of: [embedding], count: 5)[0] {
///         print(neighbor.id, neighbor.similarity)
///     }
///
/// An index is the output of `apus predict --task embed`: a NumPy array with its `.records.jsonl`, a SQLite database,
/// or JSON Lines. Similarity is the cosine of the angle between two vectors, Σ aₖ·bₖ ÷ (‖a‖·‖b‖), in double precision;
/// equal similarities come in the order of the index. Results do not depend on the number of threads.
///
/// An array is read block by block, so that memory does not grow with it, unless it fits the limit given. Databases and
/// JSON Lines are held in memory. Records of the index that have an error are passed over.
public struct EmbeddingIndex: Sendable {
    /// The path of the index.
    public let path: String
    /// The manifest of the run that wrote the index; nil when there is none beside it.
    public let manifest: RunManifest?
    /// The number of records, with those that have no vector.
    public var count: Int { rows.count }
    /// The number of elements of a vector.
    public var vectorCount: Int { rows.vectorLength }

    let rows: any EmbeddingRows
    let ids: any EmbeddingIDs

    /// The maximum size of an array that is held in memory, in bytes.
    public static let heldByteCount = 256 << 20

    /// Opens an index.
    ///
    /// - Parameter byteCount: The maximum size of an array that is held in memory; larger ones are read for each
    ///   question.
    /// - Throws: ``ApusError/file(path:message:)`` when it is damaged, not finished, or no index;
    ///   ``ApusError/memory(_:)``.
    public init(contentsOf path: String, holdingUpTo byteCount: Int = heldByteCount) throws(ApusError) {
        self.path = path
        manifest = try RunManifest.read(besideOutput: path)
        if let manifest, manifest.state != .finished {
            throw .file(path: path, message: "its run is not finished; apus predict --resume goes on with it")
        }
        guard let start = FileStart(path) else {
            _ = try RunManifest.size(of: path)
            throw .file(path: path, message: "cannot be read")
        }
        let recordCount: Int
        if start.isNumPy {
            let array = try ArrayEmbeddings(path: path)
            ids = try RecordLines(besideArray: path, count: array.count)
            rows = array.byteCount <= byteCount ? try array.held() : array
            recordCount = rows.count
        } else {
            let content = try EmbeddingTable(path, isDatabase: start.isSQLite)
            (rows, ids, recordCount) = (content.rows, content.ids, content.recordCount)
        }
        if let manifest, manifest.rows.finished.count != recordCount {
            throw .file(
                path: path,
                message: "has \(recordCount) records, but its run wrote \(manifest.rows.finished.count)")
        }
    }

    /// Makes an index of vectors in memory; ids are their positions.
    ///
    /// - Throws: ``ApusError/usage(_:)`` for vectors of different lengths; ``ApusError/memory(_:)``.
    init(_ embeddings: [ImageEmbedding]) throws(ApusError) {
        let length = embeddings.first?.vector.count ?? 1
        guard length > 0, embeddings.allSatisfy({ $0.vector.count == length }) else {
            throw .usage("vectors of different lengths cannot be compared")
        }
        (path, manifest) = ("vectors", nil)
        do throws(TensorError) {
            rows = HeldEmbeddings(try Tensor(embeddings.flatMap(\.vector), shape: [embeddings.count, length]))
        } catch {
            throw .memory("\(error)")
        }
        ids = HeldIDs(ids: embeddings.indices.map(String.init), errors: [])
    }

    /// The options of the embedder that made the vectors; nil when no manifest tells them.
    public var options: Embedder.Options? {
        guard let settings = manifest?.identity.options, let output = settings["output"],
            let pooling = settings["pooling"].flatMap(Embedder.Pooling.init)
        else { return nil }
        return Embedder.Options(output: output, pooling: pooling, isNormalized: settings["normalize"] == "true")
    }

    /// Refuses an embedder whose vectors cannot be compared with those of the index.
    ///
    /// - Throws: ``ApusError/usage(_:)`` naming the differences in network, options and preprocessing;
    ///   ``ApusError/file(path:message:)`` when no manifest tells what made the vectors.
    public func check(_ embedder: Embedder) throws(ApusError) {
        try check(predictor: embedder)
    }

    /// Refuses a predictor whose vectors cannot be compared with those of the index.
    package func check(predictor: any TaskPredictor) throws(ApusError) {
        guard let manifest else {
            throw .file(
                path: RunManifest.path(of: path), message: "no such file; it says what made the vectors of the index")
        }
        let settings = predictor.answerSettings
        var earlier = manifest.identity
        let keys = Set(settings.keys).union([type(of: predictor).colorProfileKey])
        earlier.options = earlier.options.filter { keys.contains($0.key) }
        (earlier.shard, earlier.listCount, earlier.listFingerprint) = (nil, nil, nil)
        let model = predictor.session.model
        let now = RunIdentity(model: model.name, modelFingerprint: model.fingerprint, options: settings)
        let differences = now.differences(from: earlier)
        guard differences.isEmpty else {
            throw .usage("\(path): was made otherwise: \(differences.joined(separator: "; "))")
        }
    }

    /// The vector of a record.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the index has no record of this id, or only its error.
    public func embedding(of id: String) throws -> ImageEmbedding {
        ImageEmbedding(try rows.vector(try position(of: id)))
    }

    /// The id of the record at a position.
    ///
    /// - Throws: ``ApusError/file(path:message:)``; ``ApusError/usage(_:)`` for a position beyond the index.
    public func id(_ position: Int) throws -> String {
        guard (0..<count).contains(position) else {
            throw ApusError.usage("\(path): has \(count) records, and none at \(position)")
        }
        return try ids.id(position)
    }

    /// The position of a record that has a vector.
    func position(of id: String) throws -> Int {
        guard let position = try ids.position(of: id) else {
            throw ApusError.usage("\(path): has no record \(id.printable)")
        }
        guard !ids.errors.contains(position) else {
            throw ApusError.usage("\(path): record \(id.printable) has an error and no vector")
        }
        return position
    }
}
