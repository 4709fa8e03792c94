import Tensors

/// Evaluates nodes whose inputs are all part of the network.
///
/// A node stays when its result is given to callers, would be larger than the limit, or when evaluating it fails: then
/// the error appears where the network is planned or run.
package struct ConstantFolding: NodeRewrite {
    package static let name = "ConstantFolding"
    package static let summary = "Evaluates nodes whose inputs are all part of the network."

    /// The most bytes that one folded value may take.
    package var byteLimit: Int

    /// Makes the rewrite; by default a value may take 512 MiB.
    package init(byteLimit: Int = 512 << 20) {
        self.byteLimit = byteLimit
    }

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        var inputs: [Tensor?] = []
        for input in node.inputs {
            let content = edit.constant(input)
            guard input == nil || content != nil else { return }
            inputs.append(content)
        }
        let outputs = node.outputs.compactMap { $0 }
        guard outputs.allSatisfy({ !edit.isOutput($0) }) else { return }
        do {
            let types = try node.operation.outputTypes(for: inputs.map { $0.map { TensorType($0) } })
            guard types.count >= node.outputs.count else { return }
            for type in types {
                guard try Shape.byteCount(type.shape, type.elementType) <= byteLimit else { return }
            }
            let results = try node.operation.evaluate(inputs, outputTypes: types)
            guard results.count >= node.outputs.count else { return }
            edit.settle(index, as: results)
            edit.note(node, "evaluated to \(types.prefix(outputs.count).map(\.description).joined(separator: ", "))")
        } catch {
            return
        }
    }
}
