import Tensors

/// Replaces the mean over all spatial axes by a global pooling.
///
/// Legal for floating-point numbers of four axes when the last two are reduced, which have elements. Where the
/// reduction drops them, Flatten does so after the pooling.
///
/// Rounding: none.
package struct UseGlobalAveragePool: NodeRewrite {
    package static let name = "UseGlobalAveragePool"
    package static let summary = "Replaces ReduceMean over the spatial axes by GlobalAveragePool."

    package init() {}

    package func visit(_ node: Graph.Node, at index: Int, in edit: inout GraphEdit) throws(GraphError) {
        guard let mean = node.operation as? ReduceMean, let input = node.inputs[0], let type = edit.type(input),
            type.elementType.isFloatingPoint, type.shape.rank == 4,
            type.shape.dimensions.suffix(2).allSatisfy({ $0.value.map { $0 > 0 } ?? true }),
            let axes = axes(mean, node, edit)
        else { return }
        guard Set(axes.map { $0 < 0 ? $0 + 4 : $0 }) == [2, 3], axes.count == 2 else { return }
        var pooling = node
        pooling.operation = GlobalAveragePool()
        pooling.inputs = [input]
        if mean.axes.keepsAxes {
            edit.replace(index, with: pooling)
        } else {
            let kept = Shape(type.shape.dimensions.prefix(2) + [.fixed(1), .fixed(1)])
            let result = edit.addValue("\(node.name).kept", SymbolicType(type.elementType, kept))
            pooling.outputs = [result]
            edit.insert([pooling], before: index)
            let flattened = Graph.Node(
                name: "\(node.name).flat", operation: Flatten(axis: 1), inputs: [result], outputs: node.outputs)
            edit.replace(index, with: flattened)
        }
        edit.note(node, "became a GlobalAveragePool")
    }

    private func axes(_ mean: ReduceMean, _ node: Graph.Node, _ edit: GraphEdit) -> [Int]? {
        guard node.inputs.count > 1, let input = node.inputs[1] else { return mean.axes.axes }
        return edit.constant(input)?.elements(as: Int64.self).map(Int.init)
    }
}
