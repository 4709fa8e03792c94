import Tensors

/// Drops Reshape, Flatten, Squeeze and Unsqueeze that do not change the shape, either alone or in sequence.
///
/// A shape counts as unchanged when it is the same for every batch size.
package struct DropNoOpReshape: NodeRewrite {
    package static let name = "DropNoOpReshape"
    package static let summary = "Drops Reshape, Flatten, Squeeze and Unsqueeze that do not change the shape."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard Self.keepsElements(node), let input = node.inputs.first ?? nil, let output = node.outputs.first ?? nil
        else { return }
        if let type = edit.type(output), edit.type(input) == type {
            if edit.bypass(index, readingInstead: input) {
                edit.note(node, "dropped: the shape is \(type.shape) already")
            }
            return
        }
        guard let first = edit.origin(input).flatMap({ edit.node($0) }), Self.keepsElements(first),
            let source = first.inputs.first ?? nil
        else { return }
        if let type = edit.type(output), edit.type(source) == type {
            if edit.bypass(index, readingInstead: source) {
                edit.note(node, "dropped: restores the shape \(type.shape) that \"\(first.name)\" changed")
            }
        } else if edit.readCount(input) == 1, !edit.isOutput(input), isIndependentOfInput(node, edit) {
            var merged = node
            merged.inputs[0] = source
            edit.replace(index, with: merged)
            edit.note(node, "reads past \"\(first.name)\"")
        }
    }

    private static func keepsElements(_ node: Graph.Node) -> Bool {
        switch node.operation {
        case is Reshape, is Flatten, is Squeeze, is Unsqueeze: true
        default: false
        }
    }

    /// Whether the result's shape depends only on the input's number of elements.
    private func isIndependentOfInput(_ node: Graph.Node, _ edit: GraphEdit) -> Bool {
        guard let reshape = node.operation as? Reshape else { return false }
        let constant = node.inputs.count > 1 ? edit.constant(node.inputs[1]) : nil
        guard let extents = reshape.shape ?? constant?.elements(as: Int64.self).map(Int.init) else { return false }
        return !extents.contains(0)
    }
}
