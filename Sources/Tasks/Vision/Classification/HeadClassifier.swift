import Graphs
import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A session that takes pictures and gives the classes of several outputs, such as age and gender, or the digits of a
/// number.
///
///     let classifier = try await HeadClassifier(Model(contentsOf: "face_attributes.onnx"))
///     for head in try await classifier.predict(.file("face.png")).heads { print(head.name, head.classification.best) }
///
/// An output is read if it has a row of numbers for each picture, or one integer, which is the index of the class.
/// Every method may be called from any task.
public final class HeadClassifier: Sendable {
    /// An output that gives classes.
    private struct Head: Sendable {
        let name: String
        /// The position among the network's outputs.
        let position: Int
        /// What its numbers are; nil for the index of a class.
        let scale: ClassScores.Scale?
        let labels: Labels?
    }

    /// The session that runs the network.
    public let session: Session
    /// The names of the classes of each output that has as many, when known.
    public let labels: Labels?
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { pictures.input.preprocessing }
    /// The names of the outputs that give classes.
    public var headNames: [String] { heads.map(\.name) }

    package let pictures: PicturePreparation
    package let outputs: PictureOutputs
    private let heads: [Head]

    /// Starts a classifier.
    ///
    /// - Parameters:
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    ///   - labels: The names of the classes, in place of the model's own. Outputs of another number of classes have
    ///     none.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture, or no output gives classes;
    ///   otherwise as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), preprocessing: Preprocessing? = nil,
        labels: Labels? = nil, decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        let model = model.describedByFamily()
        let input = try ImageInput(model, preprocessing: preprocessing)
        let names = labels ?? model.labels
        let outputs = PictureOutputs(model)
        let graph = model.graph
        heads = zip(graph.outputs, outputs.outputs).enumerated().compactMap { position, pair in
            let (id, output) = pair
            guard let count = Self.classCount(output) else { return nil }
            let scale = count == 1 ? nil : ClassScores.scale(of: model, at: id)
            let own = count == 1 || names?.count == count ? names : nil
            return Head(name: output.name, position: position, scale: scale, labels: own)
        }
        guard !heads.isEmpty else { throw .usage("\(model.name): no output has a row of scores for each picture") }
        self.labels = names
        self.outputs = outputs
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    /// The number of classes of an output; 1 for the index of a class, and nil for other outputs.
    private static func classCount(_ output: PictureOutputs.Output) -> Int? {
        guard let extents = output.extents, !Embedder.isNameOfOutput(output.name) else { return nil }
        if isIndex(output.elementType), output.quantization == nil { return extents.allSatisfy { $0 == 1 } ? 1 : nil }
        guard let count = extents.first ?? nil, count > 1, extents.dropFirst().allSatisfy({ $0 == 1 }) else {
            return nil
        }
        return count
    }

    private static func isIndex(_ type: ElementType) -> Bool { [.int64, .int32].contains(type) }

    /// Whether several outputs of a model give classes, and nothing tells one of them.
    package static func reads(_ model: Model) -> Bool {
        guard model.scoresName == nil, model.continuation == nil else { return false }
        let outputs = PictureOutputs(model).outputs
        let counts = outputs.compactMap(classCount)
        let labelled = counts.filter { $0 > 1 && $0 == model.labels?.count }
        if outputs.count == 1 { return counts == [1] }
        // Beside one output of scores, an index is that of its best class.
        return counts.count > 1 && counts.count(where: { $0 > 1 }) != 1 && labelled.count != 1
    }
}

extension HeadClassifier: PictureReader {
    public var core: PredictorCore<HeadClassification> { PredictorCore(self) }

    package var rowShape: [Int]? { nil }

    package var settings: [String: String] { ["heads": headNames.joined(separator: ", ")] }

    package func answer(from rows: [Tensor], to picture: PreparedPicture) throws -> HeadClassification {
        let numbers = try outputs.dequantized(rows)
        return HeadClassification(
            heads: try heads.map { head in
                HeadClassification.Head(name: head.name, classification: try classes(of: head, numbers[head.position]))
            })
    }

    private func classes(of head: Head, _ numbers: Tensor) throws -> Classification {
        if let scale = head.scale {
            let scores = numbers.elements(as: Float.self)
            try RecordError.checkFinite(scores, "numbers of output \"\(head.name.printable)\"")
            return Classification(confidences: scale.confidences(scores), scores: scores, labels: head.labels)
        }
        let index = numbers.elements(as: Int64.self).first ?? -1
        let count = head.labels?.count ?? Self.maximumIndex
        guard index >= 0, index < count else {
            throw RecordError(
                stage: "predict", code: "labels",
                message: "output \"\(head.name.printable)\" gives \(index), which is no class of \(count)")
        }
        // The network gives no confidence.
        var confidences = [Float](repeating: 0, count: head.labels?.count ?? Int(index) + 1)
        confidences[Int(index)] = 1
        return Classification(confidences: confidences, scores: [Float(index)], labels: head.labels)
    }

    /// An index without names that is larger is that of something else.
    private static let maximumIndex = 1 << 16
}
