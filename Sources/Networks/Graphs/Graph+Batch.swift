import Tensors

extension Graph {
    /// The graph for batches of one size: a symbol at the start of an input's shape becomes this number.
    ///
    /// - Throws: ``GraphError/input(name:message:)`` when an input declares another number of images;
    ///   ``GraphError/node(name:operatorName:message:isUnsupported:)`` when a shape rule refuses this number.
    package func fixingBatch(to count: Int) throws(GraphError) -> Graph {
        var symbols: Set<String> = []
        for id in inputs {
            switch self[id].shape?.dimensions.first {
            case .symbol(let name): symbols.insert(name)
            case .fixed(count): break
            case .fixed(let other):
                throw .input(name: self[id].name, message: "takes batches of \(other), not of \(count)")
            case nil: throw .input(name: self[id].name, message: "declares no shape that begins with a batch size")
            }
        }
        var graph = self
        for index in values.indices {
            graph.values[index].shape?.dimensions =
                values[index].shape?.dimensions.map { dimension in
                    if case .symbol(let name) = dimension, symbols.contains(name) { .fixed(count) } else { dimension }
                } ?? []
        }
        let shapes = graph.inputs.compactMap { graph[$0].shape?.fixed }
        if shapes.count == graph.inputs.count { _ = try graph.inferTypes(inputShapes: shapes) }
        return graph
    }
}
