import Features
import Graphs
import Inference
import Platform
import Tensors

/// The output of a network that has a score for every class.
struct ClassScores: Sendable {
    private let model: String
    /// The name of the output: the one that the model file names, or the first; nil for a network without outputs.
    private let output: String?
    /// The quantization of the output, when its scores are integers.
    private let quantization: Quantization?
    private let appliesSoftmax: Bool
    private let labels: Labels?
    /// The models of features that turn outputs into classes, when the file has any.
    private let head: ClassificationHead?

    init(_ model: Model, labels: Labels?) {
        self.model = model.name
        let graph = model.graph
        let id = graph.outputs.first { graph[$0].name == model.scoresName } ?? graph.outputs.first
        output = id.map { graph[$0].name }
        quantization = id.flatMap { graph[$0].quantization }
        // Sigmoid gives confidences only where the file names the output. Unbounded numbers always need Softmax.
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
    /// Operators that only rearrange or requantize the numbers of their inputs.
    private static let rearranging: Set<String> = [
        "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "QuantizeLinear", "DequantizeLinear",
        "AffineQuantize",
    ]

    /// Whether an output is the result of one of `operators`, ignoring operators after it that only rearrange.
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
