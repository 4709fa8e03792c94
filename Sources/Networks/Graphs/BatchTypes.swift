import Tensors

/// The types of a graph's values for any batch size and for one image, with all other extents fixed.
///
/// Decisions that depend only on these types are the same for every batch size.
package struct BatchTypes: Sendable {
    /// The name of the batch size.
    package let symbol: String
    /// The positions of the inputs whose first extent is the batch size.
    package let inputs: Set<Int>
    /// The type of each value for any batch size, indexed like ``Graph/values``; nil where extents are not fixed or
    /// multiples of the batch size.
    package private(set) var symbolic: [SymbolicType?]
    /// The type of each value for a batch of one image.
    package private(set) var ofOneImage: [TensorType?]

    /// Finds the batch size: the only symbol that is the first extent of inputs, if no other extent uses it. Without
    /// such a symbol it is the first extent of all inputs, if that is the same number above 1.
    ///
    /// - Returns: nil when there is no batch size, or the shape rules refuse one of ``SymbolicType/probes``.
    package init?(_ graph: Graph, inputShapes: [[Int]]) {
        guard let (name, batched) = Self.batch(of: graph, inputShapes) else { return nil }
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

    /// These types, and those of values that rewrites added.
    ///
    /// - Parameter types: The types of all values for any batch size, indexed like ``Graph/values``.
    package func adding(_ types: [SymbolicType?]) -> BatchTypes {
        var all = self
        for type in types.dropFirst(symbolic.count) {
            all.symbolic.append(type)
            all.ofOneImage.append(
                type.flatMap { type in
                    let extents = type.shape.dimensions.compactMap(\.factor)
                    return extents.count == type.shape.rank ? TensorType(type.elementType, extents) : nil
                })
        }
        return all
    }

    /// The name of the batch size, and the positions of the inputs that begin with it.
    private static func batch(of graph: Graph, _ inputShapes: [[Int]]) -> (symbol: String, inputs: Set<Int>)? {
        let declared = graph.inputs.compactMap { graph[$0].shape?.dimensions }
        guard declared.count == graph.inputs.count, zip(declared, inputShapes).allSatisfy({ $0.count == $1.count })
        else {
            return nil
        }
        let symbols = Set(declared.compactMap { dimensions in dimensions.first.flatMap { $0.value == nil ? $0 : nil } })
        guard let symbol = symbols.first else {
            let sizes = Set(inputShapes.map(\.first))
            guard sizes.count == 1, let size = sizes.first ?? nil, size > 1 else { return nil }
            return ("N", Set(graph.inputs.indices))
        }
        let batched = declared.indices.filter { declared[$0].first == symbol }
        guard symbols.count == 1, !declared.contains(where: { $0.dropFirst().contains(symbol) }),
            Set(batched.map { inputShapes[$0][0] }).count == 1, case .symbol(let name) = symbol
        else { return nil }
        return (name, Set(batched))
    }
}
