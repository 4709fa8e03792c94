import Tensors

/// Folds a multiplication, division, addition or subtraction by a number for each channel into the convolution or batch
/// normalisation before it.
///
/// Legal when nothing else reads the result in between, and the numbers and weights are constants. The arithmetic is
/// done in float64.
package struct FoldScaleAndShift: NodeRewrite {
    package static let name = "FoldScaleAndShift"
    package static let summary = "Folds a scale and shift of channels into the convolution or normalisation before it."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        switch node.operation {
        case is Mul, is Div, is Add, is Sub: break
        default: return
        }
        for position in 0..<2 {
            guard let (producer, origin) = edit.soleOrigin(node.inputs[position]) else { continue }
            var folded: Graph.Node?
            if origin.operation is Conv, let shape = edit.constant(origin.inputs[1])?.shape, shape.count >= 3 {
                let affine = ChannelAffine(node, of: position, channels: shape[0], rank: shape.count, edit)
                folded = affine?.folded(into: origin, &edit)
            } else if let normalization = origin.operation as? BatchNormalization, normalization.activation == nil,
                let type = edit.type(origin.inputs[0]),
                let channels = edit.constant(origin.inputs[1])?.elementCount
            {
                let affine = ChannelAffine(node, of: position, channels: channels, rank: type.shape.rank, edit)
                folded = affine?.folded(intoNormalization: origin, &edit)
            }
            guard let folded else { continue }
            edit.absorb(index, into: producer, as: folded)
            edit.note(node, "folded into \"\(origin.name)\"")
            return
        }
    }
}
