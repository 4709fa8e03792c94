import Tensors

/// Folds a batch normalisation into the convolution before it.
///
/// Legal when nothing else reads the convolution's result, and weights, bias and statistics are constants. The
/// arithmetic is done in float64.
package struct FoldBatchNormalization: NodeRewrite {
    package static let name = "FoldBatchNormalization"
    package static let summary = "Folds batch normalisation into the weights of the convolution before it."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let operation = node.operation as? BatchNormalization,
            node.outputs.dropFirst().allSatisfy({ $0 == nil }),
            let (producer, convolution) = edit.soleOrigin(node.inputs[0]), convolution.operation is Conv,
            let channels = edit.constant(convolution.inputs[1])?.shape.first,
            let affine = ChannelAffine(operation, node, channels: channels, edit),
            var folded = affine.folded(into: convolution, &edit),
            var result = folded.operation as? Conv
        else { return }
        result.activation = operation.activation
        folded.operation = result
        edit.absorb(index, into: producer, as: folded)
        edit.note(node, "folded into \"\(convolution.name)\"")
    }
}
