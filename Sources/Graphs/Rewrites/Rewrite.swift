/// A change of a graph that keeps what the network computes, on every machine.
///
/// A rewrite is one file, and one line in ``Rewrites/all``.
package protocol Rewrite: Sendable {
    /// The name, such as `FoldBatchNormalization`.
    static var name: String { get }

    /// What it does, in one sentence.
    static var summary: String { get }

    /// Whether the result can be written in ONNX's terms.
    static var isExportable: Bool { get }

    /// Changes the graph wherever the rewrite is legal, in time proportional to its size, and notes each change.
    ///
    /// - Throws: ``GraphError`` when a tensor cannot be made.
    func apply(to edit: inout GraphEdit) throws(GraphError)
}

extension Rewrite {
    package static var isExportable: Bool { true }
}

/// A rewrite that looks at one node after the other, each after the nodes it reads from.
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
    /// The node it is about.
    package var node: String
    /// What happened to it.
    package var message: String
}

extension RewriteChange: CustomStringConvertible {
    package var description: String { "\(node): \(message)" }
}

/// What one rewrite did to a graph.
package struct RewriteReport: Sendable {
    /// The rewrite's name.
    package var name: String
    /// What the rewrite does.
    package var summary: String
    /// Every change, in order.
    package var changes: [RewriteChange]
}

extension RewriteReport: CustomStringConvertible {
    package var description: String {
        (["\(name) (\(changes.count))"] + changes.map { "  \($0)" }).joined(separator: "\n")
    }
}
