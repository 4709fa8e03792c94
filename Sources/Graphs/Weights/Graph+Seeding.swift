import Tensors

extension Graph {
    /// The network with its missing weights made up: the same for the same seed, on every machine.
    ///
    ///     let network = try Networks.squeezeNet1_1().seeded(7)
    ///
    /// Weights of convolutions and linear layers are drawn from a normal distribution with the variance
    /// 2 / (inputs summed up for one element), after He et al., so that values neither vanish nor explode on their way
    /// through ReLUs. Scales and variances of batch normalisations are 1; biases and means are 0. Each weight's numbers
    /// follow from the seed and its name only.
    ///
    /// Reference: https://arxiv.org/abs/1502.01852
    ///
    /// - Throws: ``GraphError/tensor(_:)`` when memory runs out.
    public func seeded(_ seed: UInt64) throws(GraphError) -> Graph {
        var ones: Set<ValueID> = []
        for node in nodes where node.operatorName == "BatchNormalization" {
            for position in [1, 4] where position < node.inputs.count {
                if let id = node.inputs[position] { ones.insert(id) }
            }
        }
        var found: [ValueID: Tensor] = [:]
        for id in missingWeights {
            do {
                found[id] = try madeUp(id, seed: seed, isOne: ones.contains(id))
            } catch {
                throw .tensor(error)
            }
        }
        return filling(found)
    }

    private func madeUp(_ id: ValueID, seed: UInt64, isOne: Bool) throws(TensorError) -> Tensor {
        let shape = weightShape(id)
        let elementType = self[id].elementType ?? .float32
        let count = try Shape.elementCount(shape)
        guard !isOne else {
            return try Tensor([Double](repeating: 1, count: count), as: elementType, shape: shape)
        }
        guard shape.count >= 2, count > 0 else { return try Tensor(zeros: elementType, shape: shape) }
        var generator = NormalNumbers(seed: seed, stream: self[id].name)
        let deviation = (2 / Double(count / shape[0])).squareRoot()
        return try Tensor((0..<count).map { _ in generator.next() * deviation }, as: elementType, shape: shape)
    }
}
