import Tensors

extension Graph {
    /// Evaluates the graph node by node, without a plan.
    ///
    /// - Parameter inputs: One tensor per input.
    package func evaluated(_ inputs: [Tensor], allowance: LoopAllowance) throws -> [Tensor] {
        var tensors = [Tensor?](repeating: nil, count: values.count)
        for (id, tensor) in zip(self.inputs, inputs) { tensors[id.index] = tensor }
        for (id, tensor) in initializers { tensors[id.index] = tensor }
        for node in nodes {
            do {
                let operands = node.inputs.map { $0.flatMap { tensors[$0.index] } }
                let results =
                    if let operation = node.operation as? any ControlFlowOperator {
                        try operation.run(operands, allowance: allowance) { index, tensors in
                            try operation.bodies[index].graph.evaluated(tensors, allowance: allowance)
                        }
                    } else {
                        try node.operation.evaluateCheckingTypes(operands)
                    }
                for (output, result) in zip(node.outputs, results) { if let output { tensors[output.index] = result } }
            } catch let error as OperatorError {
                throw GraphError(node, error)
            } catch let error as TensorError {
                throw GraphError(node, .tensor(error))
            }
        }
        return try outputs.map { id in
            guard let tensor = tensors[id.index] else {
                throw GraphError.value(name: self[id].name, message: "was not computed")
            }
            return tensor
        }
    }
}
