import Tensors

/// Replaces a product with a small constant matrix between a Transpose `[N, C, H, W]` → `[N, H, W, C]` and its inverse,
/// and a bias that is added to it, by a 1×1 Conv: the mixing of attention's heads.
///
/// Legal when nothing else reads the results in between. With many channels, the transposes cost nothing, and the
/// product stays.
package struct ReplaceMatMulByConv: NodeRewrite {
    package static let name = "ReplaceMatMulByConv"
    package static let summary = "Replaces a MatMul of few channels between Transposes by a 1×1 Conv."

    /// The maximum number of channels before and after.
    private static let maximumChannels = 16

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let last = node.operation as? Transpose, (try? last.order(rank: 4)) == [0, 3, 1, 2],
            let (middle, result) = edit.soleOrigin(node.inputs[0])
        else { return }
        var removed = [middle]
        var product = result
        var bias: Tensor?
        if let add = result.operation as? Add {
            guard add.alignment == nil, add.activation == nil,
                let position = result.inputs.firstIndex(where: { edit.constant($0) != nil }), result.inputs.count == 2,
                let (origin, producer) = edit.soleOrigin(result.inputs[1 - position])
            else { return }
            bias = edit.constant(result.inputs[position])
            removed.append(origin)
            product = producer
        }
        guard edit.isProductWithWeights(product), product.inputs.count == 2,
            let matrix = edit.constant(product.inputs[1]), matrix.elementType == .float32,
            max(matrix.shape[0], matrix.shape[1]) <= Self.maximumChannels,
            let (origin, first) = edit.soleOrigin(product.inputs[0]), let transpose = first.operation as? Transpose,
            (try? transpose.order(rank: 4)) == [0, 2, 3, 1], let source = first.inputs[0],
            edit.type(source)?.shape.rank == 4, bias.map({ $0.shape == [matrix.shape[1]] }) ?? true,
            let weights = try? matrix.transposed([1, 0]).contiguous().reshaped(
                to: [matrix.shape[1], matrix.shape[0], 1, 1])
        else { return }
        var inputs: [Graph.ValueID?] = [source, edit.addConstant("\(product.name).filters", weights)]
        if let bias { inputs.append(edit.addConstant("\(product.name).bias", bias)) }
        edit.replace(
            index, with: Graph.Node(name: product.name, operation: Conv(), inputs: inputs, outputs: node.outputs))
        for index in removed + [origin] { edit.remove(index) }
        edit.note(product, "became a Conv")
    }
}
