/// A change of a graph that keeps the network's results, for every machine.
///
/// A rewrite is one file, and one line in ``Rewrites/all``.
package protocol Rewrite: Sendable {
    /// The name, such as `FoldBatchNormalization`.
    static var name: String { get }

    /// One sentence about the change.
    static var summary: String { get }

    /// Whether the result can be expressed in ONNX.
    static var isExportable: Bool { get }

    /// Changes the graph everywhere the rewrite is legal, in time proportional to its size, and records each change.
    ///
    /// - Throws: ``GraphError`` when a tensor cannot be made.
    func apply(to edit: inout GraphEdit) throws(GraphError)
}

extension Rewrite {
    package static var isExportable: Bool { true }
}

/// A rewrite that visits nodes one by one in topological order.
package protocol NodeRewrite: Rewrite {
    /// Changes the graph around `node` when that is legal.
    func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError)
}

extension NodeRewrite {
    package func apply(to edit: inout GraphEdit) throws(GraphError) {
        for index in edit.indices {
            if let node = edit.node(index) { try visit(node, at: index, in: &edit) }
        }
    }
}

/// One change that a rewrite made.
package struct RewriteChange: Sendable, Hashable {
    /// The node's name.
    package var node: String
    /// The change, as text.
    package var message: String
}

extension RewriteChange: CustomStringConvertible {
    package var description: String { "\(node): \(message)" }
}

/// The changes that one rewrite made to a graph.
package struct RewriteReport: Sendable {
    /// The rewrite's name.
    package var name: String
    /// The rewrite's summary.
    package var summary: String
    /// Every change, in order.
    package var changes: [RewriteChange]
}

extension RewriteReport: CustomStringConvertible {
    package var description: String {
        (["\(name) (\(changes.count))"] + changes.map { "  \($0)" }).joined(separator: "\n")
    }
}
