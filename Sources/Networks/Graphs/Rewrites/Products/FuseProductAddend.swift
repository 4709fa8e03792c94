/// Fuses an addition into a stacked product with weights, which adds the other value, such as a shortcut, before
/// storing its result.
///
/// Legal for float32 when nothing else reads the product's result, which has neither addend nor activation, and nothing
/// is broadcast. The product moves to the addition's place, where the other value is available.
///
/// Rounding: a result is not rounded before the addition.
package struct FuseProductAddend: NodeRewrite {
    package static let name = "FuseProductAddend"
    package static let summary = "Fuses an addition into the MatMul of stacks before it."
    package static let isExportable = false

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let add = node.operation as? Add, add.alignment == nil, node.inputs.count == 2,
            let type = edit.type(node.inputs[0]), edit.type(node.inputs[1]) == type, type.shape.rank >= 3,
            type.elementType == .float32
        else { return }
        let products = (0..<2).compactMap { position in
            edit.soleOrigin(node.inputs[position]).map { (position, $0.index, $0.node) }
        }.filter { isOpen($0.2, edit) }
        guard let (position, producer, product) = products.max(by: { $0.1 < $1.1 }) else { return }
        var fused = product
        fused.operation = MatMul(activation: add.activation)
        fused.inputs += [Graph.ValueID?](repeating: nil, count: MatMul.addendPosition - fused.inputs.count)
        fused.inputs.append(node.inputs[1 - position])
        fused.outputs = node.outputs
        edit.replace(index, with: fused)
        edit.remove(producer)
        edit.note(node, "fused into \"\(product.name)\"")
    }

    /// Whether the node is a product with weights, without addend and activation.
    private func isOpen(_ node: Graph.Node, _ edit: GraphEdit) -> Bool {
        guard let product = node.operation as? MatMul else { return false }
        return product.activation == nil && node.inputs.count <= MatMul.addendPosition
            && edit.constant(node.inputs[1])?.shape.count == 2
    }
}
