import Tensors

/// Fuses Sigmoid, HardSigmoid, HardSwish, Swish or Gelu into the convolution or product before it.
///
/// Legal when nothing else reads the result in between, the weights are constants, for a MatMul a matrix, and the
/// result is float32.
///
/// Rounding: a result is not rounded before its activation.
package struct FuseCurvedActivation: NodeRewrite {
    package static let name = "FuseCurvedActivation"
    package static let summary =
        "Fuses Gelu, Swish and other curved activations into the convolution or product before them."
    package static let isExportable = false

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let activation = activation(of: node), let (producer, origin) = edit.soleOrigin(node.inputs[0]),
            var operation = origin.operation as? any ActivationFusing, operation.activation == nil,
            isWeighted(origin, edit)
        else { return }
        operation.activation = activation
        var fused = origin
        fused.operation = operation
        edit.absorb(index, into: producer, as: fused)
        edit.note(node, "fused into \"\(origin.name)\" as \(activation)")
    }

    private func activation(of node: Graph.Node) -> Activation? {
        guard let function = node.operation as? any ElementwiseUnary, let activation = Activation(function) else {
            return nil
        }
        switch activation {
        case .relu, .clip, .leakyRelu: return nil  // FuseActivation's.
        default: return activation
        }
    }

    /// Whether the node multiplies values by constant weights, with a float32 result.
    private func isWeighted(_ node: Graph.Node, _ edit: GraphEdit) -> Bool {
        switch node.operation {
        case is Conv, is Gemm: edit.constant(node.inputs[1])?.elementType == .float32
        case is MatMul:
            edit.constant(node.inputs[1])?.elementType == .float32 && edit.constant(node.inputs[1])?.shape.count == 2
        case is QuantizedMatMul, is ConvIntegerToFloat, is MatMulNBits:
            edit.type(node.outputs.first ?? nil)?.elementType == .float32
        default: false
        }
    }
}
