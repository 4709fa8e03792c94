import Tensors

/// Merges convolutions of one value whose results are added or subtracted into one convolution. A batch normalisation
/// counts as a convolution with a kernel of one element; beside a convolution with one filter per channel, so does the
/// value itself.
///
/// Legal when nothing else reads the results, weights and statistics are constants, and the taps of one convolution are
/// among those of the other. The arithmetic is done in float64.
///
/// Blocks that are trained with parallel branches, as those of RepVGG (<https://arxiv.org/abs/2101.03697>), become one
/// convolution.
package struct MergeAddedConvolutions: NodeRewrite {
    package static let name = "MergeAddedConvolutions"
    package static let summary = "Merges convolutions of one value whose results are added."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let sum = Sum(node), let type = edit.type(node.inputs[0]), edit.type(node.inputs[1]) == type,
            node.inputs[0] != node.inputs[1]
        else { return }
        let producers = node.inputs.map { edit.soleOrigin($0) }
        var branches: [ConvolutionBranch?] = producers.map { producer in
            guard let node = producer?.node, let operation = node.operation as? Conv else { return nil }
            return ConvolutionBranch(node, operation, edit)
        }
        if !sum.isAddition { branches[1]?.negate() }
        // The larger kernel takes up the other, whose sign is already in its own numbers.
        let position = (branches[1]?.kernel.reduce(1, *) ?? 0) > (branches[0]?.kernel.reduce(1, *) ?? 0) ? 1 : 0
        guard var merged = branches[position] else { return }
        let factor: Double = position == 0 && !sum.isAddition ? -1 : 1
        var names: [String] = []
        if let other = branches[1 - position] {
            guard merged.add(other, factor: 1) else { return }
        } else {
            guard let affine = affine(of: node.inputs[1 - position], producers[1 - position]?.node, merged, edit),
                merged.add(affine, factor: factor)
            else { return }
        }
        guard let result = merged.node(like: node, sum.activation, output: node.outputs[0], &edit) else { return }
        let isValue = node.inputs[1 - position] == merged.input
        edit.replace(index, with: result)
        for (place, producer) in producers.enumerated() {
            guard let producer, place == position || !isValue else { continue }
            names.append("\"\(producer.node.name)\"")
            edit.remove(producer.index)
        }
        edit.note(node, "merged " + (isValue ? names + ["what it convolves"] : names).joined(separator: " and "))
    }

    /// What a value is to the convolution's input: its batch normalisation, or itself.
    private func affine(
        of value: Graph.ValueID?, _ producer: Graph.Node?, _ branch: ConvolutionBranch, _ edit: GraphEdit
    ) -> ChannelAffine? {
        let channels = branch.shape[1] * branch.group
        if value == branch.input {
            guard branch.shape[1] == 1 else { return nil }
            return ChannelAffine(
                scale: [Double](repeating: 1, count: channels), shift: [Double](repeating: 0, count: channels))
        }
        guard let producer, let operation = producer.operation as? BatchNormalization, operation.activation == nil,
            producer.inputs[0] == branch.input
        else { return nil }
        return ChannelAffine(operation, producer, channels: channels, edit)
    }

    /// An addition or a subtraction of two values.
    private struct Sum {
        let isAddition: Bool
        let activation: Activation?

        init?(_ node: Graph.Node) {
            guard node.inputs.count == 2 else { return nil }
            switch node.operation {
            case let add as Add where add.alignment == nil: (isAddition, activation) = (true, add.activation)
            case let subtract as Sub where subtract.alignment == nil: (isAddition, activation) = (false, nil)
            default: return nil
            }
        }
    }
}
