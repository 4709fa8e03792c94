import Graphs
import Tensors

/// Runs a graph with each operator's plain evaluation, in order and without a plan.
package enum ReferenceEvaluation {
    /// The outputs of `graph` for `inputs`, both in the graph's order.
    ///
    /// - Parameter change: What becomes of each result before other nodes read it, such as a rounding.
    /// - Throws: The errors of operators, and ``GraphError`` when inputs or shapes do not fit.
    package static func run(
        _ graph: Graph, _ inputs: [Tensor], change: (Tensor) throws -> Tensor = { $0 }
    ) throws -> [Tensor] {
        var tensors = [Tensor?](repeating: nil, count: graph.values.count)
        var types = [TensorType?](repeating: nil, count: graph.values.count)
        func set(_ id: Graph.ValueID, _ tensor: Tensor) {
            tensors[id.index] = tensor
            types[id.index] = TensorType(tensor)
        }
        for (id, tensor) in zip(graph.inputs, inputs) {
            try graph.check(tensor.shape, elementType: tensor.elementType, forInput: id)
            set(id, tensor)
        }
        for (id, tensor) in graph.initializers { set(id, tensor) }
        for node in graph.nodes {
            let outputTypes = try graph.inferTypes(of: node, types)
            let results = try node.operation.evaluate(
                node.inputs.map { $0.flatMap { tensors[$0.index] } }, outputTypes: outputTypes)
            for (output, (result, type)) in zip(node.outputs, zip(results, outputTypes)) {
                guard result.shape == type.shape, result.elementType == type.elementType else {
                    throw Disagreement(
                        description: "node \"\(node.name)\" (\(node.operatorName)): gives "
                            + "\(result.elementType)\(result.shape), but its shape rule says \(type)")
                }
                if let output { set(output, try change(result)) }
            }
        }
        return try graph.outputs.map { id in
            guard let tensor = tensors[id.index] else {
                throw GraphError.value(name: graph[id].name, message: "was not computed")
            }
            return tensor
        }
    }

    /// An operator whose evaluation and shape rule disagree.
    package struct Disagreement: Error, CustomStringConvertible {
        package let description: String
    }
}
