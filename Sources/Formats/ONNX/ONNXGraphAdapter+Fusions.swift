import Graphs

extension ONNXGraphAdapter {
    /// The operator as ONNX defines it, and after it in their order the steps that were fused into it.
    mutating func unfused(_ node: Graph.Node) -> [Graph.Node] {
        guard var operation = node.operation as? any ActivationFusing, let activation = operation.activation,
            let result = node.outputs.first ?? nil
        else { return [node] }
        operation.activation = nil
        var first = node
        first.operation = operation
        let step = activation.operation
        let name = type(of: step).name.lowercased()
        first.outputs[0] = addValue("\(graph[result].name).before_\(name)", like: result)
        return [
            first,
            Graph.Node(
                name: makeNodeName("\(node.name).\(name)"), operation: step, inputs: [first.outputs[0]],
                outputs: [result]),
        ]
    }
}

extension Activation {
    /// The operator that does the same.
    fileprivate var operation: any Operator {
        switch self {
        case .relu: Relu()
        case .clip(let low, let high): Clip(min: low == -.infinity ? nil : low, max: high == .infinity ? nil : high)
        case .leakyRelu(let slope): LeakyRelu(alpha: slope)
        }
    }
}
