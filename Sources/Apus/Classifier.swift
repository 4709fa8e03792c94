import Foundation
import Graphs
import Images
import Tensors

/// A session that takes pictures and answers with classes.
///
///     let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))
///     let answer = try await classifier.classify(.file("coffee.png"))
///     print(answer.label ?? "?", answer.confidence)       // espresso 0.999
///
/// Every method may be called from any task. Decoding and preprocessing run on threads of the classifier's own.
public final class Classifier: Sendable {
    /// The session that runs the network.
    public let session: Session
    /// The names of the classes, when known.
    public let labels: Labels?
    /// Whether nothing said how pictures become inputs, so that values from 0 to 1 in RGB are assumed.
    public var isPreprocessingGuessed: Bool { input.isGuessed }
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { input.preprocessing }

    let input: ImageInput
    let decodingOptions: Image.DecodingOptions
    private let appliesSoftmax: Bool
    /// Where pictures are read, decoded and turned into numbers.
    let preparation: BlockingExecutor
    /// Where datasets are listed, which may wait for pipes.
    let listing: BlockingExecutor

    /// Starts a classifier.
    ///
    /// The first output's elements are the classes. Confidences are the softmax of the output, unless the network ends
    /// in Softmax itself.
    ///
    /// - Parameters:
    ///   - preprocessing: Overrides the model's own.
    ///   - labels: Override the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture or the preprocessing does not fit
    ///   it; otherwise as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), preprocessing: Preprocessing? = nil,
        labels: Labels? = nil, decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        input = try ImageInput(model, preprocessing: preprocessing)
        self.labels = labels ?? model.labels
        decodingOptions = decoding
        appliesSoftmax = !model.graph.endsInSoftmax
        preparation = try BlockingExecutor(name: "apus-images", role: .tasks(threadCount: options.threads))
        listing = try BlockingExecutor(name: "apus-listing", role: .tasks(threadCount: 1))
        session = try await Session(model, options: options)
    }

    /// Predicts one picture.
    ///
    /// - Throws: ``RecordError`` when the picture is at fault; ``ApusError`` when something else is.
    public func classify(_ source: ImageSource) async throws -> Classification {
        do {
            let record = ImageRecord(id: "", source: source)
            let tensor = try await prepare(record, within: nil, StageTimes()).get()
            return try await classify([tensor])[0]
        } catch is CancellationError {
            throw ApusError.cancelled
        }
    }

    /// Predicts prepared pictures of equal extents as one batch.
    func classify(_ tensors: [Tensor]) async throws(ApusError) -> [Classification] {
        let batch: Tensor
        do {
            batch = try Tensor(stacking: tensors)
        } catch {
            throw ApusError(error, model: session.model.name)
        }
        let outputs = try await session.predict([input.name: batch])
        let graph = session.model.graph
        guard let id = graph.outputs.first, let output = outputs[graph[id].name] else {
            throw .usage("\(session.model.name): has no outputs")
        }
        let scores: Tensor
        do {
            scores = if let parameters = graph[id].quantization { try output.dequantized(parameters) } else { output }
        } catch {
            throw ApusError(error, model: session.model.name)
        }
        guard scores.shape.first == tensors.count, scores.elementType.isFloatingPoint else {
            throw .usage(
                "\(session.model.name): output \"\(graph[id].name)\" is \(scores.elementType)\(scores.shape), not one "
                    + "row of scores per picture")
        }
        let values = scores.elements(as: Float.self)
        let count = values.count / tensors.count
        return tensors.indices.map { index in
            let row = Array(values[index * count..<(index + 1) * count])
            return Classification(
                confidences: appliesSoftmax ? Classification.softmax(row) : row, scores: row, labels: labels)
        }
    }
}

extension Graph {
    /// Operators whose results are their inputs' numbers, or nearly.
    private static let rearranging: Set<String> = [
        "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "QuantizeLinear", "DequantizeLinear",
        "AffineQuantize",
    ]

    /// Whether the first output is a Softmax, seen through operators that only rearrange.
    var endsInSoftmax: Bool {
        guard var id = outputs.first else { return false }
        for node in nodes.reversed() where node.outputs.contains(id) {
            if ["Softmax", "IntegerSoftmax"].contains(node.operatorName) { return true }
            guard Self.rearranging.contains(node.operatorName), let input = node.inputs.first ?? nil
            else { return false }
            id = input
        }
        return false
    }
}
