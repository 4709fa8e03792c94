import Apus

/// What a model is, and what it is for: the document of `apus inspect`.
package struct ModelReport: Encodable {
    package struct Value: Encodable {
        package let name: String
        package let elementType: String?
        /// The extents, as numbers or as the names of symbols.
        package let shape: [String]?
        /// The quantization parameters; nil for a value that is not quantized.
        package let quantization: Quantization?
    }

    /// An input beside the picture.
    package struct FurtherInput: Encodable {
        package let name: String
        /// How it is given, for people.
        package let way: String
    }

    package struct Quantization: Encodable {
        package let scales: [Float]
        package let zeroPoints: [Int]
        package let axis: Int?
        package let text: String
    }

    package struct Node: Encodable {
        package let name: String
        package let `operator`: String
        package let inputs: [String?]
        package let outputs: [String?]
        /// The node on one line, with its attributes and result types.
        package let text: String
    }

    /// A setting of predictions that does not belong to the network.
    package struct Beside: Encodable {
        /// The file that contains the setting; nil without one.
        package let file: String?
        /// The origin of the setting.
        package let origin: String
        package let description: String
    }

    /// What the model is for, and what says so.
    package struct Task: Encodable {
        /// The name of the task; nil when nothing tells it.
        package let name: String?
        package let evidence: String
        /// The tasks that could read the outputs.
        package let candidates: [String]
        /// How the task reads the outputs; nil when there is nothing to say.
        package let reading: String?

        package init(_ model: Model) {
            let purpose = model.purpose
            name = purpose.task?.rawValue
            evidence = purpose.evidence
            candidates = purpose.candidates.map(\.rawValue)
            reading = purpose.task?.type.reading(of: model)
        }
    }

    /// A family of networks.
    package struct Family: Encodable {
        package let name: String
        package let title: String
        /// What in the model tells it; nil where an option or the metadata name it.
        package let evidence: String?
        /// The package or the paper that prepares and reads networks so.
        package let source: String
    }

    package let model: String
    package let network: String
    package let inputs: [Value]
    package let outputs: [Value]
    /// The inputs beside the picture, and how each is given.
    package let furtherInputs: [FurtherInput]
    /// That axis 0 of the inputs is not a batch, and why; nil where it may be one.
    package let firstAxis: String?
    package let operators: [String: Int]
    package let parameters: Int
    package let parameterBytes: Int
    /// The multiply-adds for one image; nil when input extents other than the batch are open.
    package let multiplyAdds: Int?
    package let metadata: [String: String]
    package let preprocessing: Beside?
    package let labels: Beside?
    /// What the model is for.
    package let task: Task
    /// The family of networks to which the model belongs; nil when nothing tells it.
    package let family: Family?
    /// The names of families to which the model could belong, where there are several.
    package let possibleFamilies: [String]
    /// The decoding of outputs to objects; nil for other tasks.
    package let objects: String?
    package let nodes: [Node]?

    package init(_ model: Model, includesNodes: Bool) throws(ApusError) {
        let fitting = model.fittingFamilies()
        let model = model.describedByFamily()
        family = model.family.map { family in
            let evidence = fitting.first { $0.family.name == family.name }?.evidence
            return Family(name: family.name, title: family.title, evidence: evidence, source: family.source)
        }
        possibleFamilies = family == nil && fitting.count > 1 ? fitting.map(\.family.name) : []
        let graph = model.describedGraph
        self.model = model.name
        network = graph.name
        inputs = graph.inputs.map { Value(graph[$0]) }
        outputs = graph.outputs.map { Value(graph[$0]) }
        furtherInputs = model.furtherInputs.map { FurtherInput(name: $0.name, way: $0.way) }
        firstAxis = model.firstAxisNote
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
}

extension ModelReport.Beside {
    fileprivate init(_ source: Model.Origin?, _ origin: String? = nil, of model: Model, _ description: String) {
        switch source {
        case .file(let path): file = path
        case .model, .metadata: file = model.name
        case .family, .quantization, nil: file = nil
        }
        self.origin = origin ?? source?.description ?? "given with the model"
        self.description = description
    }
}
