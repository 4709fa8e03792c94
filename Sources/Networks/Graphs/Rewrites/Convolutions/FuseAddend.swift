/// Fuses an addition into a convolution, which adds the other value, such as a shortcut, before storing its result.
///
/// Legal when nothing else reads the convolution's result, which has neither addend nor activation, and nothing is
/// broadcast. Of two convolutions the later one adds the other's result. The convolution moves to the addition's place,
/// where the other value is available.
///
/// Rounding: a result is not rounded before the addition.
package struct FuseAddend: NodeRewrite {
    package static let name = "FuseAddend"
    package static let summary = "Fuses an addition into the convolution before it."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let add = node.operation as? Add, add.alignment == nil, node.inputs.count == 2,
            let type = edit.type(node.inputs[0]), edit.type(node.inputs[1]) == type, let output = node.outputs[0]
        else { return }
        let convolutions = (0..<2).compactMap { position in
            edit.soleOrigin(node.inputs[position]).map { (position, $0.index, $0.node) }
        }.filter { isOpen($0.2) }
        guard let (position, producer, convolution) = convolutions.max(by: { $0.1 < $1.1 }),
            var operation = convolution.operation as? Conv
        else { return }
        operation.activation = add.activation
        var fused = convolution
        fused.operation = operation
        fused.inputs += [Graph.ValueID?](repeating: nil, count: Conv.addendPosition - fused.inputs.count)
        fused.inputs.append(node.inputs[1 - position])
        fused.outputs = [output]
        edit.replace(index, with: fused)
        edit.remove(producer)
        edit.note(node, "fused into \"\(convolution.name)\"")
    }

    /// Whether the node is a convolution without addend and activation.
    private func isOpen(_ node: Graph.Node) -> Bool {
        guard let convolution = node.operation as? Conv else { return false }
        return convolution.activation == nil && node.inputs.count <= Conv.addendPosition
    }
}
