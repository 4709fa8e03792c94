/// Drops nodes and arrays that nothing reads.
package struct DropDeadNodes: Rewrite {
    package static let name = "DropDeadNodes"
    package static let summary = "Drops nodes and arrays that nothing reads."

    package init() {}

    package func apply(to edit: inout GraphEdit) throws(GraphError) {
        for index in edit.indices.reversed() {
            guard let node = edit.node(index) else { continue }
            let isDead = node.outputs.allSatisfy { output in
                output.map { edit.readCount($0) == 0 && !edit.isOutput($0) } ?? true
            }
            guard isDead else { continue }
            edit.note(node, "dropped: nothing reads it")
            edit.remove(index)
        }
        let arrays = edit.dropUnreadArrays()
        if arrays > 0 { edit.noteArrays("dropped \(arrays) that nothing reads") }
    }
}
