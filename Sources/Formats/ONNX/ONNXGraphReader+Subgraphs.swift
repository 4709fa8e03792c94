#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Graphs

/// A graph read out of a node, and what it reads of the graph around.
struct ONNXSubgraph {
    let graph: Subgraph
    /// The names of what it reads, in the order of its inputs behind the formal ones.
    let captures: [String]
}

extension ONNXGraphReader {
    /// Reads a graph inside a node.
    ///
    /// - Parameter scope: What names mean in it.
    func subgraph(_ content: Data, _ scope: ONNXScope, _ label: ONNXNodeLabel) throws(FormatError) -> ONNXSubgraph {
        guard depth < Subgraph.depthLimit else {
            throw label.unsupported("graphs lie inside one another more than \(Subgraph.depthLimit) deep")
        }
        var contents: ONNXGraphProto = try ONNXFormat.decode(content)
        var reader = ONNXGraphReader(
            name: contents.name, scope: scope, functions: functions, tensors: tensors, depth: depth + 1)
        return try reader.readSubgraph(&contents)
    }

    private mutating func readSubgraph(_ contents: inout ONNXGraphProto) throws(FormatError) -> ONNXSubgraph {
        var graph = try read(&contents, contents.initializer.map { _ in nil })
        let formalInputCount = graph.inputs.count
        let captures = unprovided
        graph.inputs += captures
        do throws(GraphError) {
            try graph.sortTopologically()
            try graph.validate()
        } catch {
            throw .graph(error)
        }
        return ONNXSubgraph(
            graph: Subgraph(graph, formalInputCount: formalInputCount), captures: captures.map { graph[$0].name })
    }
}
