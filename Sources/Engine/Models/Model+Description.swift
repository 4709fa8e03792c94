import Graphs

extension Model {
    /// The network as the file describes it, with the types of all values that can be inferred for any batch size.
    public var describedGraph: Graph { (try? source.annotated()) ?? source }

    /// The number of multiply-adds for a batch of one image; nil when the inputs leave more than the batch open.
    public var multiplyAddsOfOneImage: Int? {
        guard let symbol = source.batchSymbol,
            let shapes = try? source.inputShapes(binding: symbol.map { [$0: 1] } ?? [:]),
            let types = try? source.inferTypes(inputShapes: shapes)
        else { return nil }
        return source.nodes.reduce(0) { sum, node in
            let inputs = node.inputs.map { $0.flatMap { types[$0.index] } }
            let outputs = node.outputs.compactMap { $0.flatMap { types[$0.index] } }
            return sum &+ node.operation.cost(inputs: inputs, outputs: outputs).multiplyAdds
        }
    }

    /// What one rewrite did to the network.
    public struct RewriteDescription: Sendable, Codable {
        /// A node that was changed.
        public struct Change: Sendable, Codable {
            /// The node's name.
            public let node: String
            /// What happened to it.
            public let message: String
        }

        /// The rewrite's name.
        public let name: String
        /// What the rewrite does.
        public let summary: String
        /// Every change, in order.
        public let changes: [Change]
    }

    /// What each rewrite did, in the order of application.
    public var rewriteDescriptions: [RewriteDescription] {
        rewrites.map { report in
            RewriteDescription(
                name: report.name, summary: report.summary,
                changes: report.changes.map { RewriteDescription.Change(node: $0.node, message: $0.message) })
        }
    }
}
