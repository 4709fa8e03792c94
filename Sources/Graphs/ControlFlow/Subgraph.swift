import Tensors

/// A graph inside a node, such as the body of a loop.
///
/// What it reads of the graph around it are inputs too, after those of its definition; the node reads them behind its
/// own inputs.
package final class Subgraph: Sendable {
    /// The graph; sorted and valid.
    package let graph: Graph
    /// How many of the graph's inputs are those of its definition.
    package let formalInputCount: Int

    package init(_ graph: Graph, formalInputCount: Int) {
        self.graph = graph
        self.formalInputCount = formalInputCount
    }

    /// How many values the graph reads of the one around it.
    package var captureCount: Int { graph.inputs.count - formalInputCount }

    /// How deep graphs may lie within one another.
    package static let depthLimit = 64
}

extension Subgraph: CustomStringConvertible {
    package var description: String { "a graph of \(graph.nodes.count) nodes" }
}
