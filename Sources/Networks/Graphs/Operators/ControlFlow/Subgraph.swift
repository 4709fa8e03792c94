import Tensors

/// A graph inside a node, such as the body of a loop.
///
/// The values of the enclosing graph that it reads, its captures, are inputs too, after those of its definition. They
/// are also inputs of the node, after the node's own.
package final class Subgraph: Sendable {
    /// The graph; sorted and valid.
    package let graph: Graph
    /// The number of the graph's inputs that belong to its definition.
    package let formalInputCount: Int

    package init(_ graph: Graph, formalInputCount: Int) {
        self.graph = graph
        self.formalInputCount = formalInputCount
    }

    /// The number of values of the enclosing graph that the graph reads.
    package var captureCount: Int { graph.inputs.count - formalInputCount }

    /// The maximum depth of nested graphs.
    package static let depthLimit = 64
}

extension Subgraph: CustomStringConvertible {
    package var description: String { "a graph of \(graph.nodes.count) nodes" }
}
