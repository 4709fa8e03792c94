import Tensors

/// Moves a transposition of a normalisation's or product's result after the addition or multiplication that follows, so
/// that these can be fused into the normalisation or product.
///
/// Legal when nothing else reads the result in between. A constant operand is rearranged; another operand gets the
/// inverse transposition, which costs nothing where the transposition costs nothing, if the first axis stays.
package struct MoveTranspose: NodeRewrite {
    package static let name = "MoveTranspose"
    package static let summary = "Moves Transpose after the Add or Mul that follows, so that these can be fused."
    package static let isExportable = false

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard node.inputs.count == 2, isMovable(node.operation), let output = node.outputs[0] else { return }
        for position in 0..<2 {
            guard let (producer, transposition) = edit.soleOrigin(node.inputs[position]),
                let transpose = transposition.operation as? Transpose, let source = transposition.inputs[0],
                let (_, origin) = edit.soleOrigin(source), takesMore(origin, edit),
                let type = edit.type(source), let order = try? transpose.order(rank: type.shape.rank),
                let moved = edit.type(node.inputs[position]), edit.type(output) == moved,
                let other = node.inputs[1 - position]
            else { continue }
            var inverse = order
            for (axis, from) in order.enumerated() { inverse[from] = axis }
            var inserted: [Graph.Node] = []
            let operand: Graph.ValueID
            if let constant = edit.constant(other) {
                guard let arranged = arranged(constant, inverse) else { continue }
                operand = edit.addConstant("\(edit.name(other)).arranged", arranged)
            } else {
                guard node.operation is Add, order[0] == 0, edit.type(other) == moved else { continue }
                operand = edit.addValue("\(edit.name(other)).arranged", type)
                inserted.append(
                    Graph.Node(
                        name: "\(node.name).arranged", operation: Transpose(permutation: inverse), inputs: [other],
                        outputs: [operand]))
            }
            let result = edit.addValue("\(edit.name(output)).arranged", type)
            inserted.append(
                Graph.Node(name: node.name, operation: node.operation, inputs: [source, operand], outputs: [result]))
            edit.insert(inserted, before: index)
            var last = transposition
            last.inputs = [result]
            last.outputs = [output]
            edit.replace(index, with: last)
            edit.remove(producer)
            edit.note(transposition, "moved after \"\(node.name)\"")
            return
        }
    }

    private func isMovable(_ operation: any Operator) -> Bool {
        switch operation {
        case let add as Add: add.alignment == nil && add.activation == nil
        case let multiply as Mul: multiply.alignment == nil
        default: false
        }
    }

    private func takesMore(_ node: Graph.Node, _ edit: GraphEdit) -> Bool {
        switch node.operation {
        case is LayerNormalization: true
        default: edit.isProductWithWeights(node)
        }
    }

    /// The constant with its axes permuted by `order`; missing leading axes have extent 1.
    private func arranged(_ constant: Tensor, _ order: [Int]) -> Tensor? {
        guard constant.shape.count <= order.count else { return nil }
        let shape = [Int](repeating: 1, count: order.count - constant.shape.count) + constant.shape
        return try? constant.reshaped(to: shape).transposed(order).contiguous()
    }
}
