/// Drops Dropout, which does nothing outside of training.
package struct DropDropout: NodeRewrite {
    package static let name = "DropDropout"
    package static let summary = "Drops Dropout, which does nothing outside of training."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard node.operation is Dropout, let input = node.inputs.first ?? nil else { return }
        if node.inputs.count > 2, let training = node.inputs[2] {
            guard edit.constant(training)?.elements(as: Bool.self).first == false else { return }
        }
        if node.outputs.count > 1, let mask = node.outputs[1] {
            guard edit.readCount(mask) == 0, !edit.isOutput(mask) else { return }
        }
        if edit.bypass(index, readingInstead: input) { edit.note(node, "dropped: does nothing outside of training") }
    }
}
