import Graphs
import Tensors

/// Lowers a graph onto backends for one set of input extents.
package struct Planner: Sendable {
    /// The backends that may be used, preferred first.
    package let backends: [any Backend]
    /// How many threads a run may use.
    package let threadCount: Int
    /// How many images of a batch run at a time; nil for all.
    package let division: BatchDivision?
    /// Measured times, which decide where there are any.
    package let records: TuningRecords
    /// Which layers run on the device, where the backends have one.
    package let deviceUse: DeviceUse
    /// What a plan may take of the device's memory; nil where plans are made without looking at it.
    package let deviceMemoryLimit: Int?

    /// The most bytes that a value may take: more than any machine has, and few enough that sums of them can be counted.
    private static let largestValue = 1 << 42

    package init(
        backends: [any Backend], threadCount: Int, division: BatchDivision? = nil,
        records: TuningRecords = TuningRecords(), deviceUse: DeviceUse = .cheapest, deviceMemoryLimit: Int? = nil
    ) {
        self.backends = backends
        self.threadCount = threadCount
        self.division = division
        self.records = records
        self.deviceUse = deviceUse
        self.deviceMemoryLimit = deviceMemoryLimit
    }

    /// The backend whose device plans use: the first that has one.
    var deviceBackend: (any Backend)? { backends.first { $0.device != nil } }

    /// Plans a graph.
    ///
    /// A batch whose images can be computed apart is run some images at a time where ``division`` says so; each is
    /// computed by the same kernels either way.
    ///
    /// - Parameters:
    ///   - graph: A valid graph, decluttered or not.
    ///   - inputShapes: The extents of every input, in the order of `graph.inputs`.
    ///   - packedWeights: Where rearranged weights are kept.
    ///   - isPart: Whether the graph is a part of a network, whose inputs may hold several images without declaring it.
    package func plan(
        _ graph: Graph, inputShapes: [[Int]], packedWeights: PackedWeights, isPart: Bool = false
    ) throws(PlanningError) -> Plan {
        guard graph.missingWeights.isEmpty else {
            throw .missingWeights(graph.missingWeights.map { graph[$0].name })
        }
        let batch = BatchTypes(graph, inputShapes: inputShapes)
        let whole = try prepare(graph, inputShapes, batch)
        let (batching, part) = try batching(graph, inputShapes, whole, batch, packedWeights)
        let prepared = part ?? whole
        let graph = prepared.graph
        var draft = try draft(prepared, batch, packedWeights, isPart: isPart)
        planStrips(&draft)
        planFusions(&draft)
        let ports = graph.inputs.enumerated().map { index, id in
            let isDivided = batch?.inputs.contains(index) ?? false
            return Plan.Port(
                name: graph[id].name, type: draft.values[index].type, runCount: isDivided ? batching.runCount : 1)
        }
        return try assemble(
            draft, inputs: ports, outputNames: graph.outputs.map { graph[$0].name }, batching, packedWeights)
    }

    /// A graph for one set of input extents, decluttered.
    struct Prepared {
        var graph: Graph
        var types: [TensorType?]
    }

    func prepare(
        _ graph: Graph, _ inputShapes: [[Int]], _ batch: BatchTypes?
    ) throws(PlanningError) -> Prepared {
        let prepared: Prepared
        do {
            let specialized = try Rewrites.declutter(
                try graph.specialized(inputShapes: inputShapes), types: batch?.symbolic
            ).graph
            prepared = Prepared(graph: specialized, types: try specialized.inferTypes(inputShapes: inputShapes))
        } catch {
            throw .graph(error)
        }
        for (value, type) in zip(prepared.graph.values, prepared.types) {
            guard let type, type.byteCount > Self.largestValue else { continue }
            throw .tooLarge(value: value.name, byteCount: type.byteCount)
        }
        return prepared
    }

    /// Makes the steps of a draft.
    func assemble(
        _ draft: Draft, inputs: [Plan.Port], outputNames: [String], _ batching: Batching, _ packedWeights: PackedWeights
    ) throws(PlanningError) -> Plan {
        let placement = Placement(draft)
        let made = try steps(draft, placement, packedWeights)
        let part = deviceBackend?.device.map { device in
            DevicePart(
                device: device, steps: made.deviceSteps, arenaByteCount: placement.deviceArenaByteCount,
                stagingByteCount: made.stagingByteCount)
        }
        return Plan(
            inputs: inputs,
            outputs: zip(outputNames, draft.outputs).map { name, value in
                Plan.Output(name: name, operand: placement.operands[value], runCount: batching.runCount)
            },
            steps: made.steps, layers: PlannedLayer.all(draft, placement), arenaByteCount: placement.arenaByteCount,
            devicePart: draft.usesDevice ? part : nil, threadCount: threadCount, batching: batching)
    }
}
