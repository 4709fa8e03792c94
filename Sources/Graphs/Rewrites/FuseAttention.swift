import Tensors

/// Makes one node of attention that exporters write as products, Softmax and rearrangements.
///
/// softmax(scale · q · kᵀ + bias) · v for stacks of matrices. Queries, keys and values are read where they lie before they
/// are split, reshaped and transposed into heads; a transposition that joins heads again is taken in. Scales may stand
/// before or after the product; biases and masks may be added by window, in stacks that are reshaped for it. Legal when
/// nothing else reads the scores.
package struct FuseAttention: NodeRewrite {
    package static let name = "FuseAttention"
    package static let summary = "Makes one node of softmax(scale · q · kᵀ + bias) · v and its rearrangements."
    package static let isExportable = false

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        if node.operation is MatMul {
            try fuse(node, index, &edit)
        } else if node.operation is Transpose {
            takeIn(node, index, &edit)
        }
    }

    private func fuse(_ node: Graph.Node, _ index: Int, _ edit: inout GraphEdit) throws(GraphError) {
        guard node.inputs.count == 2, node.isPlainMatMul, let output = node.outputs[0],
            let (_, softmax) = edit.soleOrigin(node.inputs[0]), let operation = softmax.operation as? Softmax,
            let type = edit.type(softmax.inputs[0]), type.elementType == .float32,
            let axis = try? operation.resolvedAxis(rank: type.shape.rank), axis == type.shape.rank - 1,
            type.shape.rank == 3 || type.shape.rank == 4, edit.type(output) != nil,
            var scores = AttentionScores(softmax.inputs[0], type, edit),
            let query = HeadTrace(scores.query, isTransposed: false, edit),
            let key = HeadTrace(scores.key, isTransposed: true, edit),
            let value = HeadTrace(node.inputs[1], isTransposed: false, edit)
        else { return }
        let extents = query.extents
        guard extents.batch == key.extents.batch, extents.batch == value.extents.batch,
            extents.heads == key.extents.heads, extents.heads == value.extents.heads,
            query.isBatched == key.isBatched, query.isBatched == value.isBatched, value.scale == 1,
            query.view.size == key.view.size, key.view.rowCount == value.view.rowCount
        else { return }
        scores.scale *= query.scale * key.scale
        var inputs: [Graph.ValueID?] = [query.source, key.source, value.source]
        guard let bias = try scores.bias(isBatched: query.isBatched, extents.heads, &edit) else { return }
        inputs += bias
        let fused = ScaledDotProductAttention(
            headCount: extents.heads, scale: scores.scale, query: query.view, key: key.view, value: value.view,
            isBatched: query.isBatched)
        edit.replace(index, with: Graph.Node(name: node.name, operation: fused, inputs: inputs, outputs: node.outputs))
        edit.note(
            node, "attends with \(extents.heads) heads of \(query.view.size) features to \(key.view.rowCount) rows")
    }

    /// Lets attention give its rows before its heads, when that is the order they are read in.
    private func takeIn(_ node: Graph.Node, _ index: Int, _ edit: inout GraphEdit) {
        guard let transpose = node.operation as? Transpose, let (producer, origin) = edit.soleOrigin(node.inputs[0]),
            var attention = origin.operation as? ScaledDotProductAttention, !attention.putsRowsFirst,
            let order = try? transpose.order(rank: attention.isBatched ? 4 : 3),
            order == (attention.isBatched ? [0, 2, 1, 3] : [1, 0, 2])
        else { return }
        attention.putsRowsFirst = true
        var fused = origin
        fused.operation = attention
        edit.absorb(index, into: producer, as: fused)
        edit.note(node, "taken into \"\(origin.name)\"")
    }
}

extension Graph.Node {
    /// Whether the node is a MatMul with nothing fused into it.
    package var isPlainMatMul: Bool {
        guard let product = operation as? MatMul else { return false }
        return product.activation == nil && inputs.count == 2
    }
}
