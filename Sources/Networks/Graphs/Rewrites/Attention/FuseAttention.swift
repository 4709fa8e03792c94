import Tensors

/// Makes one node of attention that exporters write as products, Softmax and rearrangements, or as Attention between
/// rearrangements.
///
/// softmax(scale · q · kᵀ + bias) · v for stacks of matrices. Queries, keys and values are read from the arrays that
/// are split, reshaped and transposed into heads; a transposition that joins heads again becomes part of the node.
/// Scales may come before or after the product. Biases and masks may be added by window, in reshaped stacks. Legal when
/// nothing else reads the scores.
package struct FuseAttention: NodeRewrite {
    package static let name = "FuseAttention"
    package static let summary = "Makes one node of softmax(scale · q · kᵀ + bias) · v and its rearrangements."
    package static let isExportable = false

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        if node.operation is MatMul {
            try fuse(node, index, &edit)
        } else if node.operation is Attention {
            narrow(node, index, &edit)
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
            let heads = AttentionHeads(
                scores.query, key: scores.key, keyIsTransposed: true, value: node.inputs[1], edit)
        else { return }
        scores.scale *= heads.scale
        guard let bias = try scores.bias(isBatched: heads.isBatched, heads.count, &edit) else { return }
        replace(node, index, heads, scale: scores.scale, bias: bias, &edit)
    }

    /// Replaces Attention of four axes that uses no feature for text: past keys, causality, windows, shared keys, a
    /// soft cap. The mask must be finite: a query without any key gives zeros here, but NaN with a softmax.
    private func narrow(_ node: Graph.Node, _ index: Int, _ edit: inout GraphEdit) {
        guard let attention = node.operation as? Attention, !attention.isCausal, attention.softcap == 0,
            attention.leftWindow == nil, attention.rightWindow == nil, node.inputs.count >= 3,
            node.inputs.dropFirst(4).allSatisfy({ $0 == nil }),
            node.outputs.dropFirst().allSatisfy({ $0 == nil }), edit.type(node.outputs[0])?.shape.rank == 4,
            let heads = AttentionHeads(
                node.inputs[0], key: node.inputs[1], keyIsTransposed: false, value: node.inputs[2], edit)
        else { return }
        let mask = node.inputs.count > 3 ? node.inputs[3] : nil
        if let mask {
            guard let type = edit.type(mask), type.elementType == .float32, type.shape.rank <= 4,
                type.shape.dimensions.last == .fixed(heads.key.view.rowCount), let content = edit.constant(mask),
                content.elements(as: Float.self).allSatisfy(\.isFinite)
            else { return }
        }
        let scale = attention.scale.map(Double.init) ?? 1 / Double(heads.query.view.size).squareRoot()
        replace(node, index, heads, scale: scale * heads.scale, bias: mask.map { [$0] } ?? [], &edit)
    }

    private func replace(
        _ node: Graph.Node, _ index: Int, _ heads: AttentionHeads, scale: Double, bias: [Graph.ValueID?],
        _ edit: inout GraphEdit
    ) {
        let (query, key, value) = (heads.query, heads.key, heads.value)
        let fused = ScaledDotProductAttention(
            headCount: heads.count, scale: scale, query: query.view, key: key.view, value: value.view,
            isBatched: heads.isBatched)
        edit.replace(
            index,
            with: Graph.Node(
                name: node.name, operation: fused, inputs: [query.source, key.source, value.source] + bias,
                outputs: [node.outputs[0]]))
        edit.note(node, "attends with \(heads.count) heads of \(query.view.size) features to \(key.view.rowCount) rows")
    }

    /// Makes attention store rows before heads, when a transposition to that order follows. One that also puts rows
    /// before the batch stays with the rest of its work.
    private func takeIn(_ node: Graph.Node, _ index: Int, _ edit: inout GraphEdit) {
        guard let transpose = node.operation as? Transpose, let (producer, origin) = edit.soleOrigin(node.inputs[0]),
            var attention = origin.operation as? ScaledDotProductAttention, !attention.putsRowsFirst,
            let order = try? transpose.order(rank: attention.isBatched ? 4 : 3)
        else { return }
        attention.putsRowsFirst = true
        var fused = origin
        fused.operation = attention
        if order == (attention.isBatched ? [0, 2, 1, 3] : [1, 0, 2]) {
            edit.absorb(index, into: producer, as: fused)
        } else if order == [2, 0, 1, 3], let type = edit.type(node.outputs[0]) {
            let axes = type.shape.dimensions
            let images = SymbolicType(type.elementType, Shape([axes[1], axes[0]] + axes.dropFirst(2)))
            let rows = edit.addValue("\(origin.name).rows", images)
            fused.outputs = [rows]
            var rest = node
            rest.operation = Transpose(permutation: [1, 0, 2, 3])
            rest.inputs = [rows]
            edit.insert([fused], before: index)
            edit.replace(index, with: rest)
            edit.remove(producer)
        } else {
            return
        }
        edit.note(node, "merged into \"\(origin.name)\"")
    }
}

/// Queries, keys and values whose extents match, with the arrays that hold them.
private struct AttentionHeads {
    let query: HeadTrace
    let key: HeadTrace
    let value: HeadTrace

    /// The number of heads of an image.
    var count: Int { query.extents.heads }
    var isBatched: Bool { query.isBatched }
    /// The factor of the scores from scales before the product.
    var scale: Double { query.scale * key.scale }

    init?(
        _ query: Graph.ValueID?, key: Graph.ValueID?, keyIsTransposed: Bool, value: Graph.ValueID?, _ edit: GraphEdit
    ) {
        guard let query = HeadTrace(query, isTransposed: false, edit),
            let key = HeadTrace(key, isTransposed: keyIsTransposed, edit),
            let value = HeadTrace(value, isTransposed: false, edit), query.extents == key.extents,
            query.extents == value.extents, query.isBatched == key.isBatched, query.isBatched == value.isBatched,
            value.scale == 1, query.view.size == key.view.size, key.view.rowCount == value.view.rowCount
        else { return nil }
        (self.query, self.key, self.value) = (query, key, value)
    }
}

extension Graph.Node {
    /// Whether the node is a MatMul with nothing fused into it.
    package var isPlainMatMul: Bool {
        guard let product = operation as? MatMul else { return false }
        return product.activation == nil && inputs.count == 2
    }
}
