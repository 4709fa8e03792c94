import Graphs
import Planning
import Tensors

extension Graph {
    /// A graph of float32 nodes that read values by name: inputs, or the names of earlier nodes.
    static func wired(
        _ name: String = "wired", inputs: [(String, [Int])], constants: [(String, Tensor)] = [],
        nodes: [(String, any Operator, reads: [String])], outputs: [String]
    ) throws -> Graph {
        var graph = Graph(name: name)
        var values: [String: ValueID] = [:]
        for (name, shape) in inputs {
            let id = graph.addValue(name, elementType: .float32, shape: Shape(shape))
            graph.inputs.append(id)
            values[name] = id
        }
        for (name, tensor) in constants { values[name] = graph.addInitializer(name, tensor) }
        for (name, operation, reads) in nodes {
            let output = graph.addValue(name)
            graph.nodes.append(
                Node(name: name, operation: operation, inputs: reads.map { values[$0] }, outputs: [output]))
            values[name] = output
        }
        graph.outputs = outputs.compactMap { values[$0] }
        try graph.validate()
        return graph
    }
}

extension Planner {
    /// A planner for the reference on one thread.
    static let reference = Planner(backends: [ReferenceBackend()], threadCount: 1)

    /// Plans a graph whose inputs declare all their extents.
    func plan(_ graph: Graph) throws -> Plan {
        try plan(graph, inputShapes: try graph.inputShapes(binding: [:]), packedWeights: PackedWeights())
    }
}

extension Plan {
    /// Runs the plan on the calling thread.
    func outputs(_ inputs: [Tensor]) throws -> [[Float]] {
        try Execution(workers: SerialWorkers()).run(self, inputs: inputs).map { $0.elements(as: Float.self) }
    }
}

/// A step that computes nothing.
struct NothingStep: Step {
    func run(_ context: StepContext) {}
}

/// A backend whose lowerings answer what a test wants.
struct ScriptedBackend: Backend {
    struct Scripted: Lowering {
        let name: String
        let answer: @Sendable (LoweringRequest) -> LoweringResponse
        func lower(_ request: LoweringRequest) -> LoweringResponse { answer(request) }
    }

    let name: String
    let deviceDescription = "made for a test"
    let lowerings: [any Lowering]
    let measurementKey: String?
    let device: (any Device)?

    init(
        _ name: String, _ lowerings: [Scripted], measurementKey: String? = nil, device: (any Device)? = nil
    ) {
        self.device = device
        self.name = name
        self.lowerings = lowerings
        self.measurementKey = measurementKey
    }
}
