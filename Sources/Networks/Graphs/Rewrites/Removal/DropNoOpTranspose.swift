/// Drops transpositions that keep the order of axes, and joins two successive ones.
package struct DropNoOpTranspose: NodeRewrite {
    package static let name = "DropNoOpTranspose"
    package static let summary = "Drops Transpose that keeps the order of axes; joins two successive ones."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let second = node.operation as? Transpose, let input = node.inputs.first ?? nil else { return }
        if let order = order(of: second, reading: input, edit), isIdentity(order) {
            if edit.bypass(index, readingInstead: input) { edit.note(node, "dropped: keeps the order of axes") }
            return
        }
        guard let first = edit.origin(input).flatMap({ edit.node($0) }), let earlier = first.operation as? Transpose,
            let source = first.inputs.first ?? nil
        else { return }
        if earlier.permutation == nil, second.permutation == nil {
            drop(node, index, source, first, &edit)
            return
        }
        guard let inner = order(of: earlier, reading: source, edit) ?? reversed(second.permutation, earlier),
            let outer = order(of: second, reading: input, edit) ?? reversed(earlier.permutation, second),
            inner.count == outer.count
        else { return }
        let joined = outer.map { inner[$0] }
        if isIdentity(joined) {
            drop(node, index, source, first, &edit)
        } else if edit.readCount(input) == 1, !edit.isOutput(input) {
            var merged = node
            merged.operation = Transpose(permutation: joined)
            merged.inputs = [source]
            edit.replace(index, with: merged)
            edit.note(node, "joined with \"\(first.name)\"")
        }
    }

    private func drop(
        _ node: Graph.Node, _ index: Int, _ source: Graph.ValueID, _ first: Graph.Node, _ edit: inout GraphEdit
    ) {
        if edit.bypass(index, readingInstead: source) { edit.note(node, "dropped: undoes \"\(first.name)\"") }
    }

    private func isIdentity(_ order: [Int]) -> Bool { order == Array(order.indices) }

    /// The order of axes; nil when it is neither given nor known from the rank, or is not a permutation.
    private func order(of operation: Transpose, reading input: Graph.ValueID, _ edit: GraphEdit) -> [Int]? {
        guard let rank = operation.permutation?.count ?? edit.type(input)?.shape.rank else { return nil }
        return try? operation.order(rank: rank)
    }

    /// The reversed order, with the number of axes of `other`.
    private func reversed(_ other: [Int]?, _ operation: Transpose) -> [Int]? {
        other.flatMap { try? operation.order(rank: $0.count) }
    }
}
