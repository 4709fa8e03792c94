import Tensors

/// A tensor whose axes are labelled with numbers.
struct EinsumTerm {
    var tensor: Tensor
    /// A label for each axis.
    var labels: [Int]

    init(_ tensor: Tensor, labels: [Int]) {
        self.tensor = tensor
        self.labels = labels
    }

    /// The diagonal of axes with the same label.
    var diagonal: EinsumTerm {
        var (shape, strides, names): ([Int], [Int], [Int]) = ([], [], [])
        for (axis, label) in labels.enumerated() {
            if let first = names.firstIndex(of: label) {
                // An axis of extent 1 is repeated.
                let isRepeated = tensor.shape[axis] == 1 && shape[first] != 1
                if shape[first] == 1, tensor.shape[axis] != 1 {
                    (shape[first], strides[first]) = (tensor.shape[axis], tensor.strides[axis])
                } else if !isRepeated {
                    strides[first] += tensor.strides[axis]
                }
            } else {
                shape.append(tensor.shape[axis])
                strides.append(tensor.strides[axis])
                names.append(label)
            }
        }
        let view = Tensor(
            elementType: tensor.elementType, shape: shape, strides: strides, offset: tensor.offset,
            storage: tensor.storage)
        return EinsumTerm(view, labels: names)
    }

    /// Axes of extent 1 repeated to the extents of their labels.
    func repeated(to extents: [Int]) -> EinsumTerm {
        EinsumTerm(tensor.broadcast(to: labels.map { extents[$0] }), labels: labels)
    }

    /// The sum over every label that is not in `needed`.
    func summed(keeping needed: Set<Int>) throws -> EinsumTerm {
        let axes = labels.indices.filter { !needed.contains(labels[$0]) }
        guard !axes.isEmpty else { return self }
        let sum = ReduceSum(axes: ReductionAxes(axes: axes, keepsAxes: false))
        let types = try sum.outputTypes(for: [TensorType(tensor, keepingContent: false)])
        return EinsumTerm(
            try sum.evaluate([tensor], outputTypes: types)[0], labels: labels.filter(needed.contains))
    }

    /// The product, summed over every label that both have and that is not in `needed`.
    func multiplied(by other: EinsumTerm, keeping needed: Set<Int>) throws -> EinsumTerm {
        let shared = Set(labels).intersection(other.labels)
        let stacked = labels.filter { shared.contains($0) && needed.contains($0) }
        let contracted = labels.filter { shared.contains($0) && !needed.contains($0) }
        let rows = labels.filter { !shared.contains($0) }
        let columns = other.labels.filter { !shared.contains($0) }
        let a = try matrix(stacked, rows, contracted)
        let b = try other.matrix(stacked, contracted, columns)
        let product = MatMul()
        let types = try product.outputTypes(for: [a, b].map { TensorType($0, keepingContent: false) })
        let result = try product.evaluate([a, b], outputTypes: types)[0]
        let shape = (stacked + rows).map(extent) + columns.map(other.extent)
        return EinsumTerm(try result.reshaped(to: shape), labels: stacked + rows + columns)
    }

    private func extent(_ label: Int) -> Int { labels.firstIndex(of: label).map { tensor.shape[$0] } ?? 1 }

    /// A stack of matrices whose rows and columns run over several axes each.
    private func matrix(_ stacked: [Int], _ rows: [Int], _ columns: [Int]) throws -> Tensor {
        let order = (stacked + rows + columns).compactMap { labels.firstIndex(of: $0) }
        let shape = [stacked, rows, columns].map { $0.map(extent).elementCount }
        return try tensor.transposed(order).reshaped(to: shape)
    }
}
