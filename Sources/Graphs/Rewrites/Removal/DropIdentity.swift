/// Drops nodes that return their input: Identity, Concat and Sum of a single value, Cast to the type that a value
/// already has.
package struct DropIdentity: NodeRewrite {
    package static let name = "DropIdentity"
    package static let summary = "Drops Identity, Concat and Sum of a single value, and Cast to the same type."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let input = node.inputs.first ?? nil, let output = node.outputs.first ?? nil else { return }
        switch node.operation {
        case is Identity: break
        case is Concat where node.inputs.count == 1: break
        case let sum as Sum where node.inputs.count == 1 && sum.activation == nil: break
        case is Cast:
            guard let type = edit.type(input), type.elementType == edit.type(output)?.elementType else { return }
        default: return
        }
        if edit.bypass(index, readingInstead: input) { edit.note(node, "dropped: returns its input") }
    }
}
