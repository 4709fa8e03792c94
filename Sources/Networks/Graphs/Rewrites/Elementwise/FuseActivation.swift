import Tensors

/// Fuses an activation into the operator before it, which applies it before storing its result.
///
/// Legal for floating-point numbers when nothing else reads the result in between, and a Clip's bounds are constants
/// of 32 bits at most, the lower one below the upper one. A Relu or Clip after another becomes one Clip. A MatMul takes
/// an activation when its weights are a constant matrix.
///
/// Rounding: a result is not rounded before its activation.
package struct FuseActivation: NodeRewrite {
    package static let name = "FuseActivation"
    package static let summary = "Fuses Relu, Clip or LeakyRelu into the operator before it."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let activation = activation(of: node, edit),
            let (producer, origin) = edit.soleOrigin(node.inputs[0]),
            var operation = origin.operation as? any ActivationFusing, isFloatingPoint(origin, edit),
            !(operation is MatMul) || edit.constant(origin.inputs[1])?.shape.count == 2
        else { return }
        if let before = operation.activation {
            guard let joined = before.followed(by: activation) else { return }
            operation.activation = joined
        } else {
            operation.activation = activation
        }
        var fused = origin
        fused.operation = operation
        edit.absorb(index, into: producer, as: fused)
        edit.note(node, "fused into \"\(origin.name)\" as \(activation)")
    }

    private func activation(of node: Graph.Node, _ edit: GraphEdit) -> Activation? {
        switch node.operation {
        case is Relu: return .relu
        case let leaky as LeakyRelu: return .leakyRelu(slope: leaky.alpha)
        case let clip as Clip:
            return edit.bounds(of: node, clip).map { .clip(low: $0.low, high: $0.high) }
        default: return nil
        }
    }

    /// Whether the elements are floating-point numbers; integers have no activation.
    private func isFloatingPoint(_ node: Graph.Node, _ edit: GraphEdit) -> Bool {
        node.operation is Conv || node.operation is BatchNormalization
            || (node.inputs + node.outputs).contains { edit.type($0)?.elementType.isFloatingPoint ?? false }
    }
}
