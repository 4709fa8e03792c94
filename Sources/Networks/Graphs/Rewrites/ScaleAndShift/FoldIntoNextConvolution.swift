import Tensors

/// Folds a batch normalisation, or a multiplication, division, addition or subtraction by a number for each channel,
/// into the convolution after it.
///
/// Legal when nothing else reads the result before the convolution, the numbers and weights are constants, and a
/// convolution with padding follows only a multiplication. The arithmetic is done in float64.
package struct FoldIntoNextConvolution: NodeRewrite {
    package static let name = "FoldIntoNextConvolution"
    package static let summary = "Folds scaling and shifting of channels into the convolution after it."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let convolution = node.operation as? Conv, let (producer, origin) = edit.soleOrigin(node.inputs[0]),
            let weights = edit.constant(node.inputs[1]), weights.shape.count >= 3
        else { return }
        let channels = weights.shape[1] * convolution.group
        for position in 0..<min(2, origin.inputs.count) {
            let affine: ChannelAffine?
            if let normalization = origin.operation as? BatchNormalization, position == 0 {
                guard normalization.activation == nil else { return }
                affine = ChannelAffine(normalization, origin, channels: channels, edit)
            } else {
                guard keepsShape(origin, of: position, edit) else { continue }
                affine = ChannelAffine(origin, of: position, channels: channels, rank: weights.shape.count, edit)
            }
            guard var folded = affine?.folded(before: node, &edit) else { continue }
            folded.inputs[0] = origin.inputs[position]
            edit.replace(index, with: folded)
            edit.remove(producer)
            edit.note(origin, "folded into \"\(node.name)\"")
            return
        }
    }

    /// Whether the node's result has the shape of this input, so that only the other input is broadcast.
    private func keepsShape(_ node: Graph.Node, of position: Int, _ edit: GraphEdit) -> Bool {
        guard let type = edit.type(node.inputs[position]) else { return false }
        return type == edit.type(node.outputs[0])
    }
}
