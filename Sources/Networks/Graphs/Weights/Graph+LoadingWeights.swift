import Tensors

extension Graph {
    /// How weights of one network are found in another.
    public enum WeightMatching: Sendable {
        /// By their names.
        case name
        /// By their order: the k-th convolution takes the weights of the k-th convolution, and likewise for linear
        /// layers and batch normalisations. Names do not matter.
        case order
    }

    /// The network with its missing weights taken from another, such as a trained one from a file.
    ///
    ///     let network = try Networks.squeezeNet1_1().loadingWeights(from: trained, matching: .order)
    ///
    /// Floating-point weights are converted to the type that the network declares. When matching by name, other weights
    /// of `source` are ignored.
    ///
    /// - Parameters:
    ///   - source: The network that has the weights.
    ///   - matching: The way in which weights are found in `source`.
    /// - Throws: ``GraphError`` naming the weight, and both shapes when they differ.
    public func loadingWeights(
        from source: Graph, matching: WeightMatching = .name
    ) throws(GraphError) -> Graph {
        switch matching {
        case .name:
            var arrays: [String: Tensor] = [:]
            for (id, tensor) in source.initializers { arrays[source[id].name] = tensor }
            return try loadingWeights(arrays)
        case .order:
            return filling(try weightsByOrder(from: source))
        }
    }

    /// The network with its missing weights taken from arrays by name.
    ///
    ///     let trained = try network.loadingWeights(["conv1.weight": weight, "conv1.bias": bias])
    ///
    /// - Throws: ``GraphError`` naming a weight for which there is no array, or whose shape differs.
    public func loadingWeights(_ arrays: [String: Tensor]) throws(GraphError) -> Graph {
        var found: [ValueID: Tensor] = [:]
        for id in missingWeights {
            guard let tensor = arrays[self[id].name] else {
                throw .value(
                    name: self[id].name, message: "no weight of this name is given; it has shape \(weightShape(id))")
            }
            found[id] = try fitted(tensor, to: id, from: self[id].name)
        }
        return filling(found)
    }

    /// The array, converted to the type of weight `id` and checked against its shape.
    func fitted(_ tensor: Tensor, to id: ValueID, from name: String) throws(GraphError) -> Tensor {
        let value = self[id]
        guard tensor.shape == weightShape(id) else {
            let origin = name == value.name ? "the weight given" : "the weight \"\(name)\""
            throw .value(
                name: value.name, message: "has shape \(weightShape(id)), but \(origin) has shape \(tensor.shape)")
        }
        let wanted = value.elementType ?? .float32
        guard tensor.elementType != wanted else { return tensor }
        guard tensor.elementType.isFloatingPoint, wanted.isFloatingPoint else {
            throw .value(name: value.name, message: "is \(wanted), but the weight given is \(tensor.elementType)")
        }
        do {
            return try tensor.converted(to: wanted)
        } catch {
            throw .tensor(error)
        }
    }

    /// The graph with `weights` in place of missing ones.
    func filling(_ weights: [ValueID: Tensor]) -> Graph {
        var graph = self
        graph.initializers.merge(weights) { _, new in new }
        graph.missingWeights.removeAll { weights[$0] != nil }
        return graph
    }

    func weightShape(_ id: ValueID) -> [Int] { self[id].shape?.fixed ?? [] }
}
