import Apus

/// The report of `apus inspect` about a model.
struct ModelReport: Encodable {
    struct Value: Encodable {
        let name: String
        let elementType: String?
        /// The extents, as numbers or as the names of symbols.
        let shape: [String]?
        /// The quantization parameters; nil for a value that is not quantized.
        let quantization: Quantization?
    }

    struct Quantization: Encodable {
        let scales: [Float]
        let zeroPoints: [Int]
        let axis: Int?
        let text: String
    }

    struct Node: Encodable {
        let name: String
        let `operator`: String
        let inputs: [String?]
        let outputs: [String?]
        /// The node on one line, with its attributes and result types.
        let text: String
    }

    /// A setting of predictions that does not belong to the network.
    struct Beside: Encodable {
        /// The file that contains the setting; nil without one.
        let file: String?
        /// The origin of the setting.
        let origin: String
        let description: String
    }

    /// What the model is for, and what says so.
    struct Task: Encodable {
        /// The name of the task; nil when nothing tells it.
        let name: String?
        let evidence: String
        /// The tasks that could read the outputs.
        let candidates: [String]
        /// How the task reads the outputs; nil when there is nothing to say.
        let reading: String?

        init(_ model: Model) {
            let purpose = model.purpose
            name = purpose.task?.rawValue
            evidence = purpose.evidence
            candidates = purpose.candidates.map(\.rawValue)
            reading = purpose.task?.type.reading(of: model)
        }
    }

    let model: String
    let network: String
    let inputs: [Value]
    let outputs: [Value]
    let operators: [String: Int]
    let parameters: Int
    let parameterBytes: Int
    /// The multiply-adds for one image; nil when input extents other than the batch are open.
    let multiplyAdds: Int?
    let metadata: [String: String]
    let preprocessing: Beside?
    let labels: Beside?
    /// What the model is for.
    let task: Task
    /// The decoding of outputs to objects; nil for other tasks.
    let objects: String?
    let nodes: [Node]?

    init(_ model: Model, includesNodes: Bool) throws(ApusError) {
        let graph = model.describedGraph
        self.model = model.name
        network = graph.name
        inputs = graph.inputs.map { Value(graph[$0]) }
        outputs = graph.outputs.map { Value(graph[$0]) }
        operators = graph.nodes.reduce(into: [:]) { $0[$1.operatorName, default: 0] += 1 }
        parameters = graph.parameterCount
        parameterBytes = graph.constants.values.reduce(0) { $0 + $1.byteCount }
        multiplyAdds = model.multiplyAddsOfOneImage
        metadata = graph.metadata
        preprocessing = model.picturePreparation.map { found in
            Beside(model.origins.preprocessing, found.origin, of: model, found.steps.description)
        }
        labels = Self.labels(model)
        task = Task(model)
        objects = task.name == VisionTask.detect.rawValue ? task.reading : nil
        nodes = includesNodes ? graph.nodes.map { Node($0, graph) } : nil
    }

    /// The class names of predictions.
    private static func labels(_ model: Model) -> Beside? {
        if model.findsObjects, let labels = model.detection?.labels {
            return Beside(model.origins.objectLabels, of: model, "\(labels.count) names")
        }
        return model.labels.map { Beside(model.origins.labels, of: model, "\($0.count) names") }
    }

    /// The lines of the report.
    var lines: [String] {
        var table = TextTable([("", .left), ("", .left)])
        table.append(["model", network.isEmpty ? model : "\(model) (\(network))"])
        for (position, value) in inputs.enumerated() { table.append([position == 0 ? "inputs" : "", value.text]) }
        for (position, value) in outputs.enumerated() { table.append([position == 0 ? "outputs" : "", value.text]) }
        let counts = operators.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
        for start in stride(from: 0, to: counts.count, by: 6) {
            let heading = start == 0 ? "operators" : ""
            table.append([heading, counts[start..<min(start + 6, counts.count)].joined(separator: ", ")])
        }
        table.append(["parameters", "\(parameters.grouped) (\(parameterBytes.grouped) bytes)"])
        let work = multiplyAdds.map { "\($0.grouped) for one image" } ?? "depend on the extents of the inputs"
        table.append(["multiply-adds", work])
        // Preprocessing and labels have separate lines.
        let entries = metadata.filter { !Model.isOwnMetadata($0.key) }
        for (position, entry) in entries.sorted(by: { $0.key < $1.key }).enumerated() {
            table.append([position == 0 ? "metadata" : "", "\(entry.key): \(Self.shortened(entry.value))"])
        }
        table.append(["preprocessing", preprocessing?.text ?? "none: the network does not take one picture"])
        table.append(["labels", labels?.text ?? "none"])
        table.append(["task", task.name.map { "\($0): \(task.evidence)" } ?? "none: \(task.evidence)"])
        if task.name == nil { table.append(["", "what might fit: \(task.candidates.joined(separator: ", "))"]) }
        if let reading = task.reading { table.append([objects == nil ? "answers" : "objects", reading]) }
        let list = nodes.map { [""] + $0.map(\.text.printable) } ?? []
        return table.lines() + list
    }

    /// A value of metadata; of a long one, such as a list of characters, the beginning.
    private static func shortened(_ value: String) -> String {
        value.count > 400 ? "\(value.prefix(80))… (\(value.count.grouped) characters)" : value
    }
}

extension ModelReport.Node {
    fileprivate init(_ node: Graph.Node, _ graph: Graph) {
        name = node.name
        `operator` = node.operatorName
        inputs = node.inputs.map { $0.map { graph[$0].name } }
        outputs = node.outputs.map { $0.map { graph[$0].name } }
        text = graph.text(of: node)
    }
}

extension ModelReport.Value {
    fileprivate init(_ value: Graph.Value) {
        name = value.name
        elementType = value.elementType?.rawValue
        shape = value.shape?.dimensions.map(\.description)
        quantization = value.quantization.map {
            ModelReport.Quantization(
                scales: $0.scales, zeroPoints: $0.zeroPoints, axis: $0.axis, text: $0.description)
        }
    }

    fileprivate var text: String {
        let extents = shape.map { "[\($0.joined(separator: ", "))]" } ?? " of unknown shape"
        return "\(name): \(elementType ?? "unknown")\(extents)" + (quantization.map { ", \($0.text)" } ?? "")
    }
}

extension ModelReport.Beside {
    fileprivate init(_ source: Model.Origin?, _ origin: String? = nil, of model: Model, _ description: String) {
        switch source {
        case .file(let path): file = path
        case .model, .metadata: file = model.name
        case .quantization, nil: file = nil
        }
        self.origin = origin ?? source?.description ?? "given with the model"
        self.description = description
    }

    fileprivate var text: String { "\(description), \(origin)" }
}
