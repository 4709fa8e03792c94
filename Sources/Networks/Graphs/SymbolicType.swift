import Tensors

/// The type of a value for any batch size. An extent that follows the batch size is a symbol.
package struct SymbolicType: Sendable, Hashable {
    package var elementType: ElementType
    /// The extents; a multiple of the batch size is a symbol such as `4N`.
    package var shape: Shape

    package init(_ elementType: ElementType, _ shape: Shape) {
        self.elementType = elementType
        self.shape = shape
    }

    /// The batch sizes for which types are inferred, to find out which extents follow the batch. They include 1,
    /// because an extent of 1 is broadcast and can be squeezed.
    package static let probes = [1, 2, 3]

    /// Compares the types that a value has for each of ``probes``.
    ///
    /// - Returns: nil when ranks or element types differ, or an extent is neither fixed nor a multiple of the batch
    ///   size.
    package init?(probed types: [TensorType], symbol: String) {
        guard let first = types.first, types.count == Self.probes.count,
            types.allSatisfy({ $0.rank == first.rank && $0.elementType == first.elementType })
        else { return nil }
        var dimensions: [Dimension] = []
        for (axis, factor) in first.shape.enumerated() {
            if types.allSatisfy({ $0.shape[axis] == factor }) {
                dimensions.append(.fixed(factor))
            } else if zip(types, Self.probes).allSatisfy({ $0.shape[axis] == factor &* $1 }) {
                dimensions.append(.symbol(factor == 1 ? symbol : "\(factor)\(symbol)"))
            } else {
                return nil
            }
        }
        self.init(first.elementType, Shape(dimensions))
    }
}

extension Dimension {
    /// The extent for a batch of one image: the number, or the factor of the batch size.
    var factor: Int? {
        switch self {
        case .fixed(let value): return value
        case .symbol(let name):
            let digits = name.prefix(while: \.isNumber)
            return digits.isEmpty ? 1 : Int(digits)
        }
    }
}

extension SymbolicType: CustomStringConvertible {
    package var description: String { "\(elementType)\(shape)" }
}

extension Graph {
    /// The name of the batch size: the only symbol in the shapes of the inputs, where it may only be the first extent.
    ///
    /// - Returns: The symbol; `.some(nil)` when every extent is a number; nil when a shape is not declared or has
    ///   another symbol.
    package var batchSymbol: String?? {
        var symbol: String?
        for id in inputs {
            guard let shape = self[id].shape else { return nil }
            for (axis, dimension) in shape.dimensions.enumerated() {
                guard case .symbol(let name) = dimension else { continue }
                guard axis == 0, symbol == nil || symbol == name else { return nil }
                symbol = name
            }
        }
        return .some(symbol)
    }

    /// Infers the type of every value for any batch size.
    ///
    /// Types are inferred for a few batch sizes and compared, because shape rules work on numbers.
    ///
    /// - Returns: A type per value, indexed like `values`; nil for values without origin and for those with extents
    ///   that are neither fixed nor multiples of the batch size. The array is nil when ``batchSymbol`` is.
    /// - Throws: ``GraphError`` naming the node whose shape rule refuses.
    package func inferSymbolicTypes() throws(GraphError) -> [SymbolicType?]? {
        guard let batch = batchSymbol else { return nil }
        guard let symbol = batch else {
            let types = try inferTypes(inputShapes: try inputShapes(binding: [:]))
            return types.map { $0.map { SymbolicType($0.elementType, Shape($0.shape)) } }
        }
        var probed: [[TensorType?]] = []
        for extent in SymbolicType.probes {
            probed.append(try inferTypes(inputShapes: try inputShapes(binding: [symbol: extent])))
        }
        return values.indices.map { index in
            SymbolicType(probed: probed.compactMap { $0[index] }, symbol: symbol)
        }
    }

    /// The graph with the symbolic types of its values, where they can be inferred.
    package func annotated() throws(GraphError) -> Graph {
        guard let types = try inferSymbolicTypes() else { return self }
        var graph = self
        for (index, type) in types.enumerated() {
            guard let type else { continue }
            graph.values[index].elementType = type.elementType
            graph.values[index].shape = type.shape
        }
        return graph
    }
}
