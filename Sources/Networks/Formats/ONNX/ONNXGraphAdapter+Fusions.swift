import Graphs

extension ONNXGraphAdapter {
    /// An operation on a result before it is stored. Its inputs are the result and `others`.
    private struct Step {
        let operation: any Operator
        var others: [Graph.ValueID?] = []
    }

    /// The operator as ONNX defines it, followed by the steps that were fused into it.
    mutating func unfused(_ node: Graph.Node) -> [Graph.Node] {
        var own = node
        var steps: [Step] = []
        if node.operation is Conv, node.inputs.count > Conv.addendPosition {
            own.inputs.removeSubrange(Conv.addendPosition...)
            if let addend = node.inputs[Conv.addendPosition] { steps.append(Step(operation: Add(), others: [addend])) }
        }
        if var operation = node.operation as? any ActivationFusing, let activation = operation.activation {
            operation.activation = nil
            own.operation = operation
            steps.append(Step(operation: activation.definition))
        }
        return chain(own, steps)
    }

    /// Appends `steps` to `node`; the last step computes the original output of `node`.
    private mutating func chain(_ node: Graph.Node, _ steps: [Step]) -> [Graph.Node] {
        guard let result = node.outputs.first ?? nil else { return [node] }
        var nodes = [node]
        for step in steps {
            let name = type(of: step.operation).name.lowercased()
            let unfinished = addValue("\(graph[result].name).before_\(name)", like: result)
            nodes[nodes.count - 1].outputs[0] = unfinished
            nodes.append(
                Graph.Node(
                    name: makeNodeName("\(node.name).\(name)"), operation: step.operation,
                    inputs: [unfinished] + step.others, outputs: [result]))
        }
        return nodes
    }
}

extension Activation {
    /// The operator that does the same, as ONNX defines it.
    fileprivate var definition: any Operator {
        guard case .clip(let low, let high) = self else { return operation ?? Identity() }
        return Clip(min: low == -.infinity ? nil : low, max: high == .infinity ? nil : high)
    }
}
