import Features
import Glibc
import Graphs
import Models
import Platform
import Preparation
import Tensors

/// The output of a network that has a score for every class.
struct ClassScores: Sendable {
    private let model: String
    /// The name of the output: the one that the model file names, or the first; nil for a network without outputs.
    private let output: String?
    /// The quantization of the output, when its scores are integers.
    private let quantization: Quantization?
    /// What the scores are.
    let scale: Scale
    private let labels: Labels?
    /// Where the labels come from, for people.
    private let labelsOrigin: String?
    /// The models of features that turn outputs into classes, when the file has any.
    private let head: ClassificationHead?

    /// - Throws: ``ApusError/usage(_:)`` when several outputs could be the scores, or the output is known to have
    ///   another number of classes than there are labels.
    init(_ model: Model, labels: Labels?) throws(ApusError) {
        self.model = model.name
        let graph = model.graph
        let id = try Self.output(of: model, labels: labels ?? model.labels)
        output = id.map { graph[$0].name }
        quantization = id.flatMap { graph[$0].quantization }
        scale = Self.scale(of: model, at: id)
        self.labels = labels
        labelsOrigin = model.origin(of: labels)
        if case .classification(let stages, let classifier)? = model.continuation {
            head = ClassificationHead(stages: stages, classifier: classifier)
        } else {
            head = nil
        }
        if let count = head?.classifier.labels.count ?? id.flatMap({ Self.classCount(of: model, at: $0) }) {
            try check(classCount: count)
        }
    }

    /// What the numbers of an output are.
    static func scale(of model: Model, at id: Graph.ValueID?) -> Scale {
        let graph = model.graph
        if let id, graph.ends(in: ["Softmax", "IntegerSoftmax"], at: id) { return .probabilities }
        if let id, model.endsInSigmoid(at: graph[id].name) { return .independent }
        return model.isMultiLabel ? .independentLogits : .logits
    }

    /// The number of classes of an output, when it is known.
    private static func classCount(of model: Model, at id: Graph.ValueID) -> Int? {
        guard let position = model.graph.outputs.firstIndex(of: id),
            let shape = DetectorSignature(model, inputSize: nil).outputs[position].shape
        else { return nil }
        let extents = shape.dropFirst().compactMap { $0 }
        guard extents.count == shape.count - 1, extents.count(where: { $0 != 1 }) <= 1 else { return nil }
        return extents.max()
    }

    private func check(classCount count: Int) throws(ApusError) {
        try labels?.check(classCount: count, model: model, origin: labelsOrigin)
    }

    /// The output that the model file names; else the only one, the only one that has a number for each label or a row
    /// of numbers, or the first.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when several outputs have rows of numbers, and nothing says which are the
    ///   scores.
    private static func output(of model: Model, labels: Labels?) throws(ApusError) -> Graph.ValueID? {
        let graph = model.graph
        if let named = graph.outputs.first(where: { graph[$0].name == model.scoresName }) { return named }
        guard graph.outputs.count > 1, model.continuation == nil else { return graph.outputs.first }
        let outputs = DetectorSignature(model, inputSize: nil).outputs
        func extent(_ position: Int) -> Int? {
            guard let shape = outputs[position].shape, shape.count >= 2, shape.dropFirst(2).allSatisfy({ $0 == 1 })
            else { return nil }
            return shape[1]
        }
        let rows = outputs.indices.filter { (extent($0) ?? 0) > 1 }
        let labelled = rows.filter { extent($0) == labels?.count }
        let fitting = labelled.isEmpty ? rows : labelled
        let plain = fitting.filter { !Embedder.isNameOfOutput(outputs[$0].name) }
        let found = plain.isEmpty ? fitting : plain
        guard found.count > 1 else { return found.first.map { graph.outputs[$0] } ?? graph.outputs.first }
        let names = found.map { "\"\(outputs[$0].name.printable)\" [1, \(extent($0) ?? 0)]" }.joined(separator: ", ")
        throw .usage(
            "\(model.name): \(found.count) outputs have a row of numbers for each picture, \(names), and nothing says "
                + "which are the scores of classes; --output-name takes one of them, and --task raw gives all")
    }

    /// The classes of each picture of a batch, or an error of the picture where numbers are not finite.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the output is not one row of scores per picture.
    func classifications(
        in outputs: [String: Tensor], count: Int
    ) throws(ApusError) -> [Result<Classification, RecordError>] {
        if let head {
            return try head.rows(of: outputs, count: count, model: model).map { row in
                row.map { Classification(confidences: $0, labels: labels) }
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
        guard scores.shape.dropFirst().allSatisfy({ $0 == 1 || $0 == extent }), extent != 1 || !scale.needsSeveral
        else {
            throw .usage(
                "\(model): output \"\(output)\" has numbers of shape \(Array(scores.shape.dropFirst())) for each "
                    + "picture, which are not the scores of classes")
        }
        try check(classCount: extent)
        return (0..<count).map { index in
            RecordError.catching {
                let row = Array(values[index * extent..<(index + 1) * extent])
                try RecordError.checkFinite(row, "numbers of output \"\(output.printable)\"")
                return Classification(confidences: scale.confidences(row), scores: row, labels: labels)
            }
        }
    }
}

extension ClassScores {
    /// What the scores of classes are, and how they become confidences.
    enum Scale {
        /// Unbounded numbers of classes that exclude one another: their softmax is taken.
        case logits
        /// Unbounded numbers of classes that do not: the sigmoid of each is taken.
        case independentLogits
        /// Probabilities that add up to 1.
        case probabilities
        /// Probabilities of classes that do not exclude one another.
        case independent

        /// Whether a single number says nothing.
        var needsSeveral: Bool { self == .logits }

        func confidences(_ scores: [Float]) -> [Float] {
            switch self {
            case .logits: Classification.softmax(scores)
            case .independentLogits: scores.map { Float(1 / (1 + exp(-Double($0)))) }
            case .probabilities, .independent: scores
            }
        }

        /// The scale in a few words.
        var description: String {
            switch self {
            case .logits: "confidences are the softmax of the output"
            case .independentLogits: "confidences are the sigmoid of the output, for each class by itself"
            case .probabilities: "confidences are the output, which is a softmax"
            case .independent: "confidences are the output, which is a sigmoid for each class by itself"
            }
        }
    }
}

extension Model {
    /// Whether the numbers of an output are results of Sigmoid in the file's network; rewrites may have made it a part
    /// of another node. The table of 8 bits that stands for it in TensorFlow Lite's networks is told by the
    /// quantization that is prescribed for its result, from 0 to 1.
    func endsInSigmoid(at name: String) -> Bool { ends(in: ["Sigmoid", "HardSigmoid"], orTable: true, at: name) }

    /// Whether an output is the result of one of `operators` in the file's network.
    func ends(in operators: Set<String>, orTable: Bool = false, at name: String) -> Bool {
        guard let id = source.outputs.first(where: { source[$0].name == name }) else { return false }
        if source.ends(in: operators, at: id) { return true }
        guard orTable, let quantization = source[id].quantization, quantization.scale == 1 / 256,
            [0, -128].contains(quantization.zeroPoint)
        else { return false }
        return source.ends(in: ["Lookup"], at: id)
    }
}

extension Graph {
    /// Operators that only rearrange or requantize the numbers of their inputs.
    private static let rearranging: Set<String> = [
        "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Cast", "Identity", "Dropout", "QuantizeLinear",
        "DequantizeLinear",
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
