import Tensors

/// Drops a Pad that adds and removes nothing.
package struct DropNoOpPad: NodeRewrite {
    package static let name = "DropNoOpPad"
    package static let summary = "Drops Pad that adds nothing."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let pad = node.operation as? Pad, let input = node.inputs[0] else { return }
        let given = node.inputs.count > 1 ? edit.constant(node.inputs[1])?.elements(as: Int64.self).map(Int.init) : nil
        guard let pads = given ?? pad.pads, pads.allSatisfy({ $0 == 0 }) else { return }
        if edit.bypass(index, readingInstead: input) { edit.note(node, "dropped: pads nothing") }
    }
}
