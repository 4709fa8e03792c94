import Tensors

extension Graph {
    /// The graph with other extents of an input, whatever the file declares.
    ///
    /// The shapes of all values that nodes compute are forgotten, and inferred again where that is possible.
    ///
    /// - Parameter shape: As many axes as the input has. A symbol at its front is the size of a batch.
    /// - Throws: ``GraphError`` naming the node whose shape rule refuses the extents, or that keeps the number of
    ///   images to what the file declares.
    package func taking(_ shape: Shape, for input: ValueID) throws(GraphError) -> Graph {
        let declaredCount = self[input].shape?.dimensions.first?.value
        var graph = self
        for node in nodes {
            for output in node.outputs.compactMap({ $0 }) { graph.values[output.index].shape = nil }
        }
        graph.values[input.index].shape = shape
        let isOpen = shape.dimensions.first?.value == nil
        for count in isOpen ? [1, 3] : [1] {
            let shapes = inputs.map { id in
                (id == input ? shape : graph[id].shape)?.dimensions.map { $0.value ?? count } ?? []
            }
            let types = try graph.inferKnownTypes(inputShapes: shapes)
            let count = shapes.isEmpty ? 1 : shape.dimensions.first?.value ?? count
            for output in outputs {
                guard let declared = self[output].shape?.dimensions.first,
                    declared.value == nil || declared.value == declaredCount,
                    let found = types[output.index]?.shape.first, found != count
                else { continue }
                throw keepingNode(before: output, types: types, count: count, found: found)
            }
        }
        return (try? graph.annotated()) ?? graph
    }

    /// The error that names the node whose result has another number of images than its input.
    private func keepingNode(
        before output: ValueID, types: [TensorType?], count: Int, found: Int
    ) -> GraphError {
        let changing = nodes.first { node in
            let (from, to) = (node.inputs.first ?? nil, node.outputs.first ?? nil)
            guard let from, let to, let before = types[from.index]?.shape.first,
                let after = types[to.index]?.shape.first
            else { return false }
            return before == count && after != count
        }
        let message = "makes \(found) rows of what belongs to \(count == 1 ? "one picture" : "\(count) pictures")"
        guard let changing else { return .value(name: self[output].name, message: "has \(found) rows, not \(count)") }
        return .node(
            name: changing.name, operatorName: changing.operatorName, message: message, isUnsupported: true)
    }
}
