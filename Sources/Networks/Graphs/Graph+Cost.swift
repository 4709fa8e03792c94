import Tensors

extension Graph {
    /// The cost of each node for given input extents, in the order of `nodes`.
    ///
    /// - Throws: ``GraphError`` naming the node whose shape rule refuses.
    package func costs(inputShapes: [[Int]]) throws(GraphError) -> [OperatorCost] {
        let types = try inferTypes(inputShapes: inputShapes)
        return nodes.map { node in
            node.operation.cost(
                inputs: node.inputs.map { $0.flatMap { types[$0.index] } },
                outputs: node.outputs.compactMap { $0.flatMap { types[$0.index] } })
        }
    }
}
