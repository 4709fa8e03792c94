import Tensors

extension Graph {
    /// The operators whose weights are matched by order. Each operator is counted separately.
    private static let weighted = ["Conv", "ConvTranspose", "Gemm", "MatMul", "BatchNormalization"]

    /// Finds each missing weight in `source` by its layer's operator and number.
    func weightsByOrder(from source: Graph) throws(GraphError) -> [ValueID: Tensor] {
        let missing = Set(missingWeights)
        var found: [ValueID: Tensor] = [:]
        for kind in Self.weighted {
            let layers = nodes.filter { $0.operatorName == kind }
            let sources = source.nodes.filter { $0.operatorName == kind }
            guard layers.contains(where: { $0.inputs.contains { $0.map(missing.contains) ?? false } }) else { continue }
            guard layers.count == sources.count else {
                throw .value(
                    name: name,
                    message: "has \(layers.count) layers \(kind), but \"\(source.name)\" has \(sources.count), "
                        + "so their weights cannot be matched by order")
            }
            for (layer, origin) in zip(layers, sources) {
                for position in layer.inputs.indices {
                    guard let id = layer.inputs[position], missing.contains(id) else { continue }
                    found[id] = try source.weight(of: origin, position, for: layer, id, in: self)
                }
                let extra = origin.inputs.dropFirst(layer.inputs.count).compactMap { $0 }
                guard extra.isEmpty else {
                    throw .value(
                        name: layer.name,
                        message: "has no weight that takes \"\(source[extra[0]].name)\" of \"\(origin.name)\"")
                }
            }
        }
        for id in missingWeights where found[id] == nil {
            throw .value(name: self[id].name, message: "belongs to no layer that can be matched by order")
        }
        return found
    }

    /// The weight of `node` at input `position`, fitted to the weight `id` of `layer`.
    private func weight(
        of node: Node, _ position: Int, for layer: Node, _ id: ValueID, in target: Graph
    ) throws(GraphError) -> Tensor {
        guard position < node.inputs.count, let origin = node.inputs[position] else {
            throw .value(name: target[id].name, message: "\"\(node.name)\" has no such weight")
        }
        guard var tensor = initializers[origin] else {
            throw .value(name: target[id].name, message: "\"\(self[origin].name)\" of \"\(node.name)\" is no constant")
        }
        if position == 1, let wanted = layer.operation as? Gemm, let given = node.operation as? Gemm,
            wanted.transB != given.transB, tensor.shape.count == 2
        {
            do {
                tensor = try tensor.transposed([1, 0]).contiguous()
            } catch {
                throw .tensor(error)
            }
        }
        return try target.fitted(tensor, to: id, from: self[origin].name)
    }
}
