/// Replaces a Sum of two values by an Add, so that rewrites and kernels for Add serve both.
package struct ReplaceSumByAdd: NodeRewrite {
    package static let name = "ReplaceSumByAdd"
    package static let summary = "Replaces a Sum of two values by an Add."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let sum = node.operation as? Sum, node.inputs.count == 2 else { return }
        var replaced = node
        replaced.operation = Add(activation: sum.activation)
        edit.replace(index, with: replaced)
        edit.note(node, "became an Add")
    }
}
