import FoundationEssentials
import Graphs

/// A graph inside a node, and the values of the enclosing graph that it reads.
struct ONNXSubgraph {
    let graph: Subgraph
    /// The names of the values that it reads, in the order of its inputs after the formal ones.
    let captures: [String]
}

extension ONNXGraphReader {
    /// Reads a graph inside a node.
    ///
    /// - Parameter scope: The scope of names in the graph.
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
        try graph.finishBody()
        return ONNXSubgraph(
            graph: Subgraph(graph, formalInputCount: formalInputCount), captures: captures.map { graph[$0].name })
    }
}
