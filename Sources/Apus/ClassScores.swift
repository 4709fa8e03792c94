import Graphs
import Tensors

/// The output of a network that holds a score for every class.
struct ClassScores: Sendable {
    private let model: String
    /// The first output; nil for a network without outputs.
    private let output: String?
    private let appliesSoftmax: Bool
    private let labels: Labels?

    init(_ model: Model, labels: Labels?) {
        self.model = model.name
        output = model.graph.outputs.first.map { model.graph[$0].name }
        appliesSoftmax = !model.graph.endsInSoftmax
        self.labels = labels
    }

    /// The classes of each picture of a batch.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the output is not one row of scores per picture.
    func classifications(in outputs: [String: Tensor], count: Int) throws(ApusError) -> [Classification] {
        guard let output, let scores = outputs[output] else { throw .usage("\(model): has no outputs") }
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
    /// Whether the first output is a Softmax, seen through operators that only rearrange.
    fileprivate var endsInSoftmax: Bool {
        guard var id = outputs.first else { return false }
        for node in nodes.reversed() where node.outputs.contains(id) {
            if node.operatorName == "Softmax" { return true }
            guard ["Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout"].contains(node.operatorName),
                let input = node.inputs.first ?? nil
            else { return false }
            id = input
        }
        return false
    }
}
