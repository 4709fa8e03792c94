import Graphs
import Synchronization
import Tensors

/// A graph whose types are not all known before it runs. It is planned stage by stage, each stage when the stages
/// before have given its shapes, and once for the same shapes.
///
/// Safe to use from any thread.
package final class Program: Sendable {
    package let graph: Graph
    private let planner: Planner
    private let packedWeights: PackedWeights
    private let stages = Mutex(StageCache())
    private let bodies = Mutex<[ObjectIdentifier: Program]>([:])

    package init(_ graph: Graph, planner: Planner, packedWeights: PackedWeights) {
        self.graph = graph
        self.planner = planner
        self.packedWeights = packedWeights
    }

    /// The program of a graph inside one of this program's nodes.
    func body(_ subgraph: Subgraph) -> Program {
        bodies.withLock { bodies in
            if let body = bodies[ObjectIdentifier(subgraph)] { return body }
            let body = Program(subgraph.graph, planner: planner, packedWeights: packedWeights)
            bodies[ObjectIdentifier(subgraph)] = body
            return body
        }
    }

    /// The stage with which a run begins.
    ///
    /// - Parameter inputs: The type of every input; content does not count.
    package func firstStage(_ inputs: [TensorType]) throws(PlanningError) -> ProgramStage {
        try stage(StageCache.Key(after: nil, types: inputs)) { id throws(PlanningError) in
            var graph = graph
            for (input, type) in zip(graph.inputs, inputs) { graph.values[input.index].elementType = type.elementType }
            let types: [TensorType?]
            do throws(GraphError) {
                types = try graph.typesBeforeNodes(inputShapes: inputs.map(\.shape))
            } catch {
                throw .graph(error)
            }
            return try ProgramStage(id: id, of: graph, types: types, planner: planner, packedWeights: packedWeights)
        }
    }

    /// The stage that follows another.
    ///
    /// - Parameter results: The results of the earlier stage's dynamic nodes, in their order.
    func stage(after stage: ProgramStage, _ results: [[Tensor]]) throws(PlanningError) -> ProgramStage {
        var types = stage.types
        var key: [TensorType] = []
        for (dynamic, tensors) in zip(stage.dynamicNodes, results) {
            for (output, tensor) in zip(dynamic.node.outputs, tensors) {
                let type = TensorType(tensor, keepingContent: false)
                key.append(type)
                if let output { types[output.index] = type }
            }
        }
        return try self.stage(StageCache.Key(after: stage.id, types: key)) { id throws(PlanningError) in
            try ProgramStage(id: id, of: stage.rest, types: types, planner: planner, packedWeights: packedWeights)
        }
    }

    private func stage(
        _ key: StageCache.Key, make: (Int) throws(PlanningError) -> ProgramStage
    ) throws(PlanningError) -> ProgramStage {
        let (found, id) = stages.withLock { ($0[key], $0.nextID()) }
        if let found { return found }
        let stage = try make(id)
        stages.withLock { $0.insert(stage, key) }
        return stage
    }
}

/// The stages of a program. When there are too many, the least recently used are dropped.
private struct StageCache {
    struct Key: Hashable {
        private struct Value: Hashable {
            let elementType: ElementType
            let shape: [Int]
        }

        private let previous: Int?
        private let values: [Value]

        init(after previous: Int?, types: [TensorType]) {
            self.previous = previous
            values = types.map { Value(elementType: $0.elementType, shape: $0.shape) }
        }
    }

    private static let capacity = 128
    private var stages: [Key: (stage: ProgramStage, lastUse: Int)] = [:]
    private var clock = 0

    mutating func nextID() -> Int {
        clock += 1
        return clock
    }

    subscript(key: Key) -> ProgramStage? {
        mutating get {
            clock += 1
            stages[key]?.lastUse = clock
            return stages[key]?.stage
        }
    }

    mutating func insert(_ stage: ProgramStage, _ key: Key) {
        clock += 1
        stages[key] = (stage, clock)
        if stages.count > Self.capacity, let oldest = stages.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            stages[oldest.key] = nil
        }
    }
}
