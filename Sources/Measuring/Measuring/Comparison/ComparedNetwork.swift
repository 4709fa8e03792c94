import Graphs
import Models
import Platform
import Tensors

/// A network after rewrites for given input shapes, with the correspondence of its values to those in the model's file.
package struct ComparedNetwork: Sendable {
    /// The network after all rewrites.
    let graph: Graph
    /// The network as it is in the file.
    let source: Graph

    /// - Throws: ``GraphError`` when the shapes do not fit.
    init(_ model: Model, inputShapes: [[Int]]) throws(GraphError) {
        let batch = BatchTypes(model.graph, inputShapes: inputShapes)
        graph = try Rewrites.declutter(
            try model.graph.specialized(inputShapes: inputShapes), types: batch?.symbolic
        ).graph
        source = model.source
    }

    /// The network with the values of all layers as additional outputs, computed by the same operators.
    ///
    /// - Throws: ``ApusError`` when the network is not valid.
    func observed(as name: String) throws(ApusError) -> Model {
        var graph = graph
        for node in graph.nodes {
            for case let id? in node.outputs where !graph.outputs.contains(id) && isFloatingPoint(id) {
                graph.outputs.append(id)
            }
        }
        return try Model(graph, name: name)
    }

    private func isFloatingPoint(_ id: Graph.ValueID) -> Bool { graph[id].elementType?.isFloatingPoint ?? false }

    /// The names of the values that exist both in the file and in plans.
    var sharedValues: Set<String> {
        let computed = source.nodes.flatMap(\.outputs).compactMap { $0.map { source[$0].name } }
        return Set(computed).intersection(values)
    }

    /// The names of the values that layers compute.
    private var values: Set<String> {
        Set(graph.nodes.flatMap(\.outputs).compactMap { $0.map { graph[$0].name } })
    }

    /// The values of the file that the rewrites removed, in the order of computation.
    var fusedValues: [String] {
        let known = values
        return source.nodes.flatMap(\.outputs).compactMap { $0.map { source[$0].name } }.filter { !known.contains($0) }
    }

    /// For the name of every shared value, the nodes of the file that compute it from other shared values.
    var nodesByValue: [String: [String]] {
        var origins: [Int: Int] = [:]
        for (index, node) in source.nodes.enumerated() {
            for case let id? in node.outputs { origins[id.index] = index }
        }
        let shared = sharedValues
        var result: [String: [String]] = [:]
        for (index, node) in source.nodes.enumerated() {
            for case let id? in node.outputs where shared.contains(source[id].name) {
                var nodes: Set<Int> = [index]
                var pending = [index]
                while let next = pending.popLast() {
                    for case let input? in source.nodes[next].inputs where !shared.contains(source[input].name) {
                        guard let origin = origins[input.index], nodes.insert(origin).inserted else { continue }
                        pending.append(origin)
                    }
                }
                result[source[id].name] = nodes.sorted().map { source.nodes[$0].name }
            }
        }
        return result
    }

    /// For every node, the indices of the nodes whose values it reads.
    var sources: [[Int]] {
        var origins: [Int: Int] = [:]
        return graph.nodes.enumerated().map { index, node in
            var found: [Int] = []
            for case let id? in node.inputs {
                if let origin = origins[id.index], !found.contains(origin) { found.append(origin) }
            }
            for case let id? in node.outputs { origins[id.index] = index }
            return found
        }
    }
}
