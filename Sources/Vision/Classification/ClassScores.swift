import Features
import Graphs
import Inference
import Platform
import Tensors

/// The output of a network that holds a score for every class.
struct ClassScores: Sendable {
    private let model: String
    /// The output that the model file names, or the first; nil for a network without outputs.
    private let output: String?
    /// How the output's integers stand for scores, when they do.
    private let quantization: Quantization?
    private let appliesSoftmax: Bool
    private let labels: Labels?
    /// The models of features that make classes of the outputs, when the file has such.
    private let head: ClassificationHead?

    init(_ model: Model, labels: Labels?) {
        self.model = model.name
        let graph = model.graph
        let id = graph.outputs.first { graph[$0].name == model.scoresName } ?? graph.outputs.first
        output = id.map { graph[$0].name }
        quantization = id.flatMap { graph[$0].quantization }
        // A file that names the output means its numbers as they are; those without bounds are none to mean.
        let last: Set<String> = model.scoresName == nil ? [] : ["Sigmoid"]
        appliesSoftmax = !(id.map { graph.ends(in: last.union(["Softmax", "IntegerSoftmax"]), at: $0) } ?? false)
        self.labels = labels
        if case .classification(let stages, let classifier)? = model.continuation {
            head = ClassificationHead(stages: stages, classifier: classifier)
        } else {
            head = nil
        }
    }

    /// The classes of each picture of a batch.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the output is not one row of scores per picture.
    func classifications(in outputs: [String: Tensor], count: Int) throws(ApusError) -> [Classification] {
        if let head {
            return try head.rows(of: outputs, count: count, model: model).map {
                Classification(confidences: $0, labels: labels)
            }
        }
        guard let output, let numbers = outputs[output] else { throw .usage("\(model): has no outputs") }
        let scores: Tensor
        do {
            scores = if let quantization { try numbers.dequantized(quantization) } else { numbers }
        } catch {
            throw ApusError(error, model: model)
        }
        guard count > 0, scores.shape.first == count, scores.elementType.isFloatingPoint else {
            throw .usage(
                "\(model): output \"\(output)\" is \(scores.elementType)\(scores.shape), not one row of scores per "
                    + "picture")
        }
        let values = scores.elements(as: Float.self)
        let extent = values.count / count
        return (0..<count).map { index in
            let row = Array(values[index * extent..<(index + 1) * extent])
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

    /// Whether an output is what one of some operators gives, seen through operators that only rearrange.
    package func ends(in operators: Set<String>, at output: Graph.ValueID) -> Bool {
        var id = output
        for node in nodes.reversed() where node.outputs.contains(id) {
            if operators.contains(node.operatorName) { return true }
            guard Self.rearranging.contains(node.operatorName), let input = node.inputs.first ?? nil
            else { return false }
            id = input
        }
        return false
    }
}
