/// A change of a graph that keeps the network's results, for every machine.
///
/// A rewrite is one file, one line in ``Rewrites/all``, and one in the table of `RewriteEquivalenceTests`, which
/// compares random graphs around its pattern with and without it. Its documentation says when it is legal.
///
/// A rewrite that moves numbers or chooses another operator for the same arithmetic gives the same numbers. One that
/// changes the order of arithmetic moves results by rounding errors of the element type, relative to the largest number
/// in between. There a result that is not finite, because a number in between is not, may be another one that is not
/// finite, or the finite result. What else a rewrite may change is said under its own heading "Rounding".
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
    /// The operators of the nodes that ``visit(_:at:in:)`` may begin at; nil for any. Nodes of other operators are
    /// passed over.
    static var visited: [any Operator.Type]? { get }

    /// Changes the graph around `node` when that is legal.
    func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError)
}

extension NodeRewrite {
    package static var visited: [any Operator.Type]? { nil }

    package func apply(to edit: inout GraphEdit) throws(GraphError) {
        let visited = Self.visited?.map { ObjectIdentifier($0) }
        for index in edit.indices {
            if let visited, !edit.isNode(index, ofOneOf: visited) { continue }
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
