import Tensors

/// Replaces a batch normalisation of a value that is no batch of pictures by a multiplication and an addition, which
/// rewrites and kernels take for any number of axes.
///
/// Legal when the statistics are constants and only the result is read.
package struct ReplaceBatchNormalization: NodeRewrite {
    package static let name = "ReplaceBatchNormalization"
    package static let summary = "Replaces a batch normalisation that is not of pictures by Mul and Add."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let operation = node.operation as? BatchNormalization, let input = node.inputs[0],
            let type = edit.type(input), type.shape.rank >= 2, type.shape.rank != 4,
            type.elementType == .float32 || type.elementType == .float64,
            node.outputs.dropFirst().allSatisfy({ $0 == nil }), let channels = type.shape.dimensions[1].value,
            let affine = ChannelAffine(operation, node, channels: channels, edit), affine.isFinite
        else { return }
        let shape = [channels] + [Int](repeating: 1, count: type.shape.rank - 2)
        guard let scale = try? Tensor(affine.scale, as: type.elementType, shape: shape),
            let shift = try? Tensor(affine.shift, as: type.elementType, shape: shape)
        else { return }
        let scaled = edit.addValue("\(node.name).scaled", type)
        let multiplication = Graph.Node(
            name: "\(node.name)/scale", operation: Mul(),
            inputs: [input, edit.addConstant("\(node.name).scale", scale)], outputs: [scaled])
        var addition = node
        addition.operation = Add(activation: operation.activation)
        addition.inputs = [scaled, edit.addConstant("\(node.name).shift", shift)]
        addition.outputs = [node.outputs[0]]
        edit.insert([multiplication], before: index)
        edit.replace(index, with: addition)
        edit.note(node, "became Mul and Add")
    }
}
