import Tensors

/// Moves a transposition that puts rows before the batch behind the product with weights or the Reshape that follows.
///
/// Exporters write torch.nn.MultiheadAttention with rows before the batch: [N, L, E] → [L, N, E] before its first
/// product, and back after its last one. Behind the products, the first transposition becomes a part of the view that
/// attention reads, and the last two cancel each other out. Legal when the Reshape keeps the first two extents, and
/// nothing else reads the transposed array.
package struct MoveBatchTranspose: NodeRewrite {
    package static let name = "MoveBatchTranspose"
    package static let summary = "Moves Transpose of the batch behind the MatMul or Reshape that follows."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let (producer, transposition) = edit.soleOrigin(node.inputs.first ?? nil),
            let transpose = transposition.operation as? Transpose, let source = transposition.inputs[0],
            let from = edit.type(source), let order = try? transpose.order(rank: from.shape.rank),
            order.count >= 3, order.starts(with: [1, 0]), order.dropFirst(2).elementsEqual(2..<order.count),
            case .symbol? = from.shape.dimensions.first, let output = node.outputs.first ?? nil,
            let result = edit.type(output), result.shape.rank >= 3
        else { return }
        let rows = result.shape.dimensions
        guard rows[0] == from.shape.dimensions[1], rows[1] == from.shape.dimensions[0] else { return }
        var moved = node
        moved.inputs[0] = source
        switch node.operation {
        case is MatMul:
            guard edit.isProductWithWeights(node) else { return }
        case is Reshape:
            // Only a Reshape to extents that are written out can be told to swap the first two.
            guard let shape = edit.constant(node.inputs.count > 1 ? node.inputs[1] : nil) else { return }
            var extents = shape.elements(as: Int64.self)
            guard extents.count >= 3, !extents.contains(0) else { return }
            extents.swapAt(0, 1)
            guard let target = try? Tensor(extents, shape: [extents.count]) else { return }
            moved.inputs[1] = edit.addConstant("\(node.name).shape", target)
        default: return
        }
        let type = SymbolicType(result.elementType, Shape([rows[1], rows[0]] + rows.dropFirst(2)))
        let value = edit.addValue("\(edit.name(output)).images", type)
        moved.outputs = [value]
        var last = transposition
        last.operation = Transpose(permutation: [1, 0] + Array(2..<result.shape.rank))
        last.inputs = [value]
        last.outputs = [output]
        edit.insert([moved], before: index)
        edit.replace(index, with: last)
        edit.remove(producer)
        edit.note(transposition, "moved behind \"\(node.name)\"")
    }
}
