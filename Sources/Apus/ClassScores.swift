import Graphs
import Tensors

/// The output of a network that holds a score for every class.
struct ClassScores: Sendable {
    private let model: String
    /// The first output; nil for a network without outputs.
    private let output: String?
    /// How the output's integers stand for scores, when they do.
    private let quantization: Quantization?
    private let appliesSoftmax: Bool
    private let labels: Labels?

    init(_ model: Model, labels: Labels?) {
        self.model = model.name
        output = model.graph.outputs.first.map { model.graph[$0].name }
        quantization = model.graph.outputs.first.flatMap { model.graph[$0].quantization }
        appliesSoftmax = !model.graph.endsInSoftmax
        self.labels = labels
    }

    /// The classes of each picture of a batch.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the output is not one row of scores per picture.
    func classifications(in outputs: [String: Tensor], count: Int) throws(ApusError) -> [Classification] {
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
