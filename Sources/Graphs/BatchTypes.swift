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

    /// The batch size is the one symbol that is the first extent of some inputs and stands nowhere else; where there is
    /// none, the first extent of all inputs when that is the same number above 1.
    ///
    /// - Returns: nil when there is no batch size, or the shape rules refuse one of those tried.
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
        if symbol == nil { batched = Set(graph.inputs.indices.filter { !inputShapes[$0].isEmpty }) }
        let repeats = graph.inputs.contains { id in
            symbol.map { graph[id].shape?.dimensions.dropFirst().contains(.symbol($0)) ?? false } ?? false
        }
        let sizes = Set(batched.map { inputShapes[$0][0] })
        guard !repeats, sizes.count == 1 else { return nil }
        if symbol == nil { guard batched.count == graph.inputs.count, !sizes.contains(1) else { return nil } }
        let name = symbol ?? "N"
        var probed: [[TensorType?]] = []
        for extent in SymbolicType.probes {
            let shapes = inputShapes.enumerated().map { index, shape in
                batched.contains(index) ? [extent] + shape.dropFirst() : shape
            }
            guard let types = try? graph.inferTypes(inputShapes: shapes) else { return nil }
            probed.append(types)
        }
        self.symbol = name
        inputs = batched
        symbolic = graph.values.indices.map { index in
            SymbolicType(probed: probed.compactMap { $0[index] }, symbol: name)
        }
        ofOneImage = probed[0]
    }
}
