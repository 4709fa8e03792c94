import Tensors

/// Moves a Reshape behind the addition, subtraction, multiplication or division of a constant row, so that the row can
/// become a part of the product before.
///
/// Legal when the last axis keeps its extent, the constant is broadcast along all other axes, and nothing else reads
/// the result in between.
package struct MoveReshape: NodeRewrite {
    package static let name = "MoveReshape"
    package static let summary = "Moves Reshape behind an operation with a constant row."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        switch node.operation {
        case let operation as any AlignedOperator where operation.alignment == nil:
            guard operation is Add || operation is Sub || operation is Mul || operation is Div else { return }
        default: return
        }
        guard node.inputs.count == 2 else { return }
        for position in 0..<2 {
            guard let (producer, reshape) = edit.soleOrigin(node.inputs[position]), reshape.operation is Reshape,
                let source = reshape.inputs[0], let from = edit.type(source), from.shape.rank > 1,
                let to = edit.type(reshape.outputs[0]), to.shape.rank > 1,
                let extent = from.shape.dimensions.last?.value, to.shape.dimensions.last?.value == extent,
                let numbers = edit.row(node.inputs[1 - position], extent: extent, rank: to.shape.rank),
                let row = edit.number(node.inputs[1 - position]) == nil
                    ? try? Tensor(numbers, as: from.elementType, shape: [extent])
                    : try? Tensor(Array(numbers.prefix(1)), as: from.elementType, shape: [])
            else { continue }
            let result = edit.addValue("\(node.name).row", from)
            var moved = node
            moved.inputs[position] = source
            moved.inputs[1 - position] = edit.addConstant("\(node.name).constant", row)
            moved.outputs = [result]
            var last = reshape
            last.inputs[0] = result
            last.outputs = node.outputs
            edit.insert([moved], before: index)
            edit.replace(index, with: last)
            edit.remove(producer)
            edit.note(node, "moved before \"\(reshape.name)\"")
            return
        }
    }
}
