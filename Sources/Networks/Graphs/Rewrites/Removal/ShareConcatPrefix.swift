/// Lets a Concat read an earlier Concat instead of the first inputs that both have: `[a, b, c]` becomes `[[a, b], c]`.
///
/// Dense blocks concatenate all earlier results before each layer. Nested, each result is written once into the memory
/// of the last Concat. Legal when both concatenate along the same axis.
package struct ShareConcatPrefix: Rewrite {
    package static let name = "ShareConcatPrefix"
    package static let summary = "Lets a Concat read an earlier one instead of the first inputs that both have."

    package init() {}

    /// A list of inputs, as the list without the last input, and the last input.
    private struct Key: Hashable {
        let rest: Int
        let last: Graph.ValueID
        let axis: Int
    }

    package func apply(to edit: inout GraphEdit) throws(GraphError) {
        var lists: [Key: Int] = [:]
        var results: [Int: Graph.ValueID] = [:]
        for index in edit.indices {
            guard let node = edit.node(index), let concat = node.operation as? Concat, let output = node.outputs[0]
            else { continue }
            let inputs = node.inputs.compactMap { $0 }
            guard inputs.count == node.inputs.count else { continue }
            var list = 0
            var prefix: (count: Int, result: Graph.ValueID)?
            for (position, input) in inputs.enumerated() {
                if position > 1, let result = results[list] { prefix = (position, result) }
                let key = Key(rest: list, last: input, axis: concat.axis)
                list = lists[key] ?? lists.count + 1
                lists[key] = list
            }
            if results[list] == nil { results[list] = output }
            guard let prefix else { continue }
            var nested = node
            nested.inputs = [prefix.result] + node.inputs.dropFirst(prefix.count)
            edit.replace(index, with: nested)
            edit.note(node, "reads \"\(edit.name(prefix.result))\"")
        }
    }
}
