import Tensors

/// The types of a graph's values at several batch sizes, every other extent being given.
///
/// What is decided by these types is decided alike for every batch, and so is what depends on one image's extents.
package struct BatchTypes: Sendable {
    /// The name of the batch size.
    package let symbol: String
    /// The positions of the inputs whose first extent is the batch size.
    package let inputs: Set<Int>
    /// The type of each value for any batch size, indexed like ``Graph/values``; nil where it does not simply follow the
    /// batch.
    package let symbolic: [SymbolicType?]
    /// The type of each value for a batch of one image.
    package let ofOneImage: [TensorType?]

    /// - Returns: nil when the inputs do not declare one symbol as the first extent of some of them and nowhere else, or
    ///   when the shape rules refuse one of the batch sizes tried.
    package init?(_ graph: Graph, inputShapes: [[Int]]) {
        var symbol: String?
        var batched: Set<Int> = []
        for (index, id) in graph.inputs.enumerated() {
            guard let dimensions = graph[id].shape?.dimensions else { return nil }
            guard case .symbol(let name) = dimensions.first else { continue }
            guard symbol == nil || symbol == name, inputShapes[index].count == dimensions.count else { return nil }
            symbol = name
            batched.insert(index)
        }
        guard let symbol else { return nil }
        let repeats = graph.inputs.contains { id in
            graph[id].shape?.dimensions.dropFirst().contains(.symbol(symbol)) ?? false
        }
        let sizes = Set(batched.map { inputShapes[$0][0] })
        guard !repeats, sizes.count == 1 else { return nil }
        var probed: [[TensorType?]] = []
        for extent in SymbolicType.probes {
            let shapes = inputShapes.enumerated().map { index, shape in
                batched.contains(index) ? [extent] + shape.dropFirst() : shape
            }
            guard let types = try? graph.inferTypes(inputShapes: shapes) else { return nil }
            probed.append(types)
        }
        self.symbol = symbol
        inputs = batched
        symbolic = graph.values.indices.map { index in
            SymbolicType(probed: probed.compactMap { $0[index] }, symbol: symbol)
        }
        ofOneImage = probed[0]
    }
}
