import Tensors

extension Subgraph {
    /// Joins the results of all iterations for one output along a new axis.
    ///
    /// Without iterations the extents are those that the output declares, or 0 where it declares none.
    func stacked(_ parts: [Tensor], output: Int, axis: Int) throws -> Tensor {
        let value = graph[graph.outputs[output]]
        guard let first = parts.first else {
            var shape = value.shape?.dimensions.map { $0.value ?? 0 } ?? []
            shape.insert(0, at: try Axes.resolve(axis, rank: shape.count + 1))
            return try Tensor(zeros: value.elementType ?? .float32, shape: shape)
        }
        if let other = parts.first(where: { $0.shape != first.shape || $0.elementType != first.elementType }) {
            throw OperatorError.invalid(
                "iterations give \(TensorType(first)) and \(TensorType(other)) for \"\(value.name)\"")
        }
        let axis = try Axes.resolve(axis, rank: first.shape.count + 1)
        var shape = first.shape
        shape.insert(1, at: axis)
        let slices = try parts.map { try $0.reshaped(to: shape) }
        shape[axis] = parts.count
        let type = TensorType(first.elementType, shape)
        return try Concat(axis: axis).evaluate(slices, outputTypes: [type])[0]
    }

    /// The shape of a counter or condition as the body declares it: no axis, or one.
    func scalarShape(ofInput index: Int) -> [Int] {
        graph[graph.inputs[index]].shape?.rank == 1 ? [1] : []
    }
}
