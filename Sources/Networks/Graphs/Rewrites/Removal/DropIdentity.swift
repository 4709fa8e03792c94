/// Drops nodes that return their input: Identity, Concat and Sum of a single value, Cast to the type that a value
/// already has, multiplication and division by 1.
package struct DropIdentity: NodeRewrite {
    package static let name = "DropIdentity"
    package static let summary =
        "Drops Identity, Concat and Sum of a single value, Cast to the same type, and factors of 1."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard var input = node.inputs.first ?? nil, let output = node.outputs.first ?? nil else { return }
        switch node.operation {
        case is Identity: break
        case is Concat where node.inputs.count == 1: break
        case let sum as Sum where node.inputs.count == 1 && sum.activation == nil: break
        case is Cast:
            guard let type = edit.type(input), type.elementType == edit.type(output)?.elementType else { return }
        case let multiply as Mul where multiply.alignment == nil && node.inputs.count == 2:
            guard let position = (0..<2).first(where: { isOne(node.inputs[1 - $0], edit) }),
                let factor = node.inputs[position], edit.type(factor) == edit.type(output), edit.type(output) != nil
            else { return }
            input = factor
        case let divide as Div where divide.alignment == nil && node.inputs.count == 2:
            guard isOne(node.inputs[1], edit), edit.type(input) == edit.type(output), edit.type(output) != nil
            else { return }
        default: return
        }
        if edit.bypass(index, readingInstead: input) { edit.note(node, "dropped: returns its input") }
    }

    private func isOne(_ value: Graph.ValueID?, _ edit: GraphEdit) -> Bool {
        edit.constant(value)?.elements(as: Double.self).allSatisfy { $0 == 1 } ?? false
    }
}
