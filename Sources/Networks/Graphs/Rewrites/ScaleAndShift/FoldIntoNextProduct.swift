import Tensors

/// Folds a multiplication, division, addition or subtraction by a constant row into the product with weights after it:
/// the affine normalisation of perceptrons.
///
/// Legal when nothing else reads the result in between. The arithmetic is done in float64.
package struct FoldIntoNextProduct: NodeRewrite {
    package static let name = "FoldIntoNextProduct"
    package static let summary = "Folds scaling and shifting of rows into the MatMul of stacks after it."
    package static let isExportable = false

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard edit.isProductWithWeights(node), let (producer, origin) = edit.soleOrigin(node.inputs[0]),
            let weights = edit.constant(node.inputs[1]), weights.elementType == .float32,
            let type = edit.type(node.inputs[0]), type.shape.rank >= 3
        else { return }
        for position in 0..<min(2, origin.inputs.count) where edit.type(origin.inputs[position]) == type {
            guard
                let affine = ChannelAffine(
                    origin, of: position, channels: weights.shape[0], rank: type.shape.rank,
                    axis: type.shape.rank - 1, edit),
                var folded = affine.folded(beforeProduct: node, &edit)
            else { continue }
            folded.inputs[0] = origin.inputs[position]
            edit.replace(index, with: folded)
            edit.remove(producer)
            edit.note(origin, "folded into \"\(node.name)\"")
            return
        }
    }
}
