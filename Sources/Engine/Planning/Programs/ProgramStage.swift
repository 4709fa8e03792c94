import Graphs
import Tensors

/// A part of a program: the nodes that can be planned once the stages before have run, then the nodes whose results
/// give the shapes for the next stage.
package final class ProgramStage: Sendable {
    /// A node that is evaluated by its operator, because its output types depend on the content of its inputs.
    package struct DynamicNode: Sendable {
        package let node: Graph.Node
        /// What determines its types, as a phrase.
        package let reason: String
    }

    let id: Int
    /// The plan that runs first; nil when there is nothing to plan.
    package let plan: Plan?
    /// The values that the plan reads and writes.
    let inputs: [Graph.ValueID]
    let outputs: [Graph.ValueID]
    /// The nodes that run after the plan, in any order.
    package let dynamicNodes: [DynamicNode]
    /// The graph, with the nodes that are still to be run after this stage.
    let rest: Graph
    /// The known types of the graph's values.
    let types: [TensorType?]
    /// The values that are read after this stage.
    let live: Set<Graph.ValueID>

    /// The nodes of later stages, which are planned when their shapes are known.
    package var followingNodes: [Graph.Node] { rest.nodes }
    var isLast: Bool { rest.nodes.isEmpty }

    /// The content of a value that is known before any stage runs.
    func constant(_ id: Graph.ValueID) -> Tensor? { rest.initializers[id] ?? types[id.index]?.constant }

    /// Takes from a graph the part that can be planned.
    ///
    /// - Parameters:
    ///   - graph: The nodes that are still to be run.
    ///   - types: The known types of its values.
    init(
        id: Int, of graph: Graph, types: [TensorType?], planner: Planner, packedWeights: PackedWeights
    ) throws(PlanningError) {
        var division: Division
        do throws(GraphError) {
            division = try Division(graph, types)
        } catch {
            throw .graph(error)
        }
        if division.dynamic.isEmpty, let stuck = division.graph.nodes.first {
            do throws(GraphError) {
                _ = try division.graph.inferTypes(of: stuck, division.types)
            } catch {
                throw .graph(error)
            }
        }
        var live = Set(graph.outputs)
        for node in division.graph.nodes { live.formUnion(node.inputs.compactMap { $0 }) }
        var wanted = live
        for dynamic in division.dynamic { wanted.formUnion(dynamic.node.inputs.compactMap { $0 }) }

        let part = division.plannedGraph(wanted: wanted)
        inputs = part.inputs
        outputs = part.outputs
        if part.nodes.isEmpty {
            plan = nil
        } else {
            let shapes = part.inputs.map { division.types[$0.index]?.shape ?? [] }
            plan = try planner.plan(part, inputShapes: shapes, packedWeights: packedWeights, isPart: true)
        }
        self.id = id
        dynamicNodes = division.dynamic
        rest = division.graph
        self.types = division.types
        self.live = live
    }
}

/// A graph divided into nodes with known types, nodes without that can be evaluated next, and the rest.
private struct Division {
    /// The graph with the nodes that remain.
    var graph: Graph
    var types: [TensorType?]
    private var planned: [Graph.Node] = []
    var dynamic: [ProgramStage.DynamicNode] = []

    /// The maximum number of nodes into which loops are unrolled.
    private static let unrolledNodeLimit = 4096

    init(_ graph: Graph, _ types: [TensorType?]) throws(GraphError) {
        self.graph = graph
        self.types = types
        var pending = Array(graph.nodes.reversed())
        self.graph.nodes = []
        var unrolledCount = 0
        while let node = pending.popLast() {
            guard node.inputs.allSatisfy({ $0.map { self.types[$0.index] != nil } ?? true }) else {
                self.graph.nodes.append(node)
                continue
            }
            if unrolledCount < Self.unrolledNodeLimit || node.operation is If,
                let nodes = try self.graph.expand(node, self.types)
            {
                if node.operation is Loop { unrolledCount += nodes.count }
                extendTypes()
                pending += nodes.reversed()
                continue
            }
            switch try self.graph.inference(of: node, self.types) {
            case .undetermined(let reason):
                dynamic.append(ProgramStage.DynamicNode(node: node, reason: reason))
            case .types(let inferred):
                for (output, type) in zip(node.outputs, inferred) { if let output { self.types[output.index] = type } }
                let isKnown = node.outputs.allSatisfy { $0.map { self.types[$0.index]?.constant != nil } ?? true }
                if !isKnown { planned.append(node) }
            }
        }
    }

    /// Gives types to the values that expanding a node has added.
    private mutating func extendTypes() {
        for index in types.count..<graph.values.count {
            let tensor = graph.initializers[Graph.ValueID(index)]
            types.append(
                tensor.map { TensorType($0, keepingContent: $0.elementCount <= Graph.followedElementCount) })
        }
    }

    /// The planned nodes as a graph of their own.
    ///
    /// - Parameter wanted: The values that other nodes or the outputs read.
    func plannedGraph(wanted: Set<Graph.ValueID>) -> Graph {
        var part = graph
        part.nodes = planned
        part.inputs = []
        part.outputs = []
        part.initializers = [:]
        var known: Set<Graph.ValueID> = []
        for node in planned {
            for id in node.inputs.compactMap({ $0 }) where known.insert(id).inserted {
                if let content = graph.initializers[id] ?? types[id.index]?.constant {
                    part.initializers[id] = content
                } else if !graph.missingWeights.contains(id) {
                    part.inputs.append(id)
                }
            }
            for id in node.outputs.compactMap({ $0 }) {
                known.insert(id)
                if wanted.contains(id), types[id.index]?.constant == nil { part.outputs.append(id) }
            }
        }
        part.inputs = graph.inputs.inFront(of: part.inputs)
        part.outputs = graph.outputs.inFront(of: part.outputs)
        let declared = Set(graph.inputs)
        for id in part.inputs {
            part.values[id.index].elementType = types[id.index]?.elementType
            let isDeclared = declared.contains(id) && part.values[id.index].shape != nil
            if !isDeclared { part.values[id.index].shape = types[id.index].map { Shape($0.shape) } }
        }
        return part
    }
}

extension [Graph.ValueID] {
    /// The values of another list, with those of this list first and in its order.
    fileprivate func inFront(of others: [Graph.ValueID]) -> [Graph.ValueID] {
        let (own, all) = (Set(self), Set(others))
        return filter(all.contains) + others.filter { !own.contains($0) }
    }
}
