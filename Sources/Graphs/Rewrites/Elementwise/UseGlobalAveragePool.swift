import Tensors

/// Replaces the mean over all spatial axes by a global pooling.
///
/// Legal for an input of four axes when the last two are reduced and kept with extent 1.
package struct UseGlobalAveragePool: NodeRewrite {
    package static let name = "UseGlobalAveragePool"
    package static let summary = "Replaces ReduceMean over the spatial axes by GlobalAveragePool."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let mean = node.operation as? ReduceMean, mean.axes.keepsAxes, let input = node.inputs[0],
            edit.type(input)?.shape.rank == 4, let axes = axes(mean, node, edit)
        else { return }
        guard Set(axes.map { $0 < 0 ? $0 + 4 : $0 }) == [2, 3], axes.count == 2 else { return }
        var pooling = node
        pooling.operation = GlobalAveragePool()
        pooling.inputs = [input]
        edit.replace(index, with: pooling)
        edit.note(node, "became a GlobalAveragePool")
    }

    private func axes(_ mean: ReduceMean, _ node: Graph.Node, _ edit: GraphEdit) -> [Int]? {
        guard node.inputs.count > 1, let input = node.inputs[1] else { return mean.axes.axes }
        return edit.constant(input)?.elements(as: Int64.self).map(Int.init)
    }
}
