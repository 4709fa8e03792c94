import Tensors

/// Turns the serialized types of inputs and outputs into element types and shapes.
struct ONNXTypeReader {
    private var symbols: Set<String> = []
    /// The symbol of first extents without a name.
    private var batch: Dimension?

    /// Names that exporters write for unknown extents; equal names may mean different extents.
    private static let placeholders: Set<String> = ["?", "-1", "None", "none", "null", "unk", "unknown"]

    /// Makes a reader.
    ///
    /// - Parameter values: All values whose types will be read, so that generated names of unnamed extents are unique.
    init(namesIn values: [ONNXValueInfoProto]) {
        for value in values {
            for dimension in value.type.tensorType.shape.dim { symbols.insert(dimension.dimParam) }
        }
    }

    /// The element type, and the shape when one is declared.
    mutating func tensorType(_ message: ONNXValueInfoProto) throws(FormatError) -> (ElementType, Shape?) {
        guard let kind = message.type.value else { throw .invalid("declares no type") }
        guard case .tensorType(let tensor) = kind else {
            throw .unsupported("is \(kind.text), not a tensor")
        }
        let elementType = try ONNXDataType.supported(tensor.elemType).elementType
        guard tensor.hasShape else { return (elementType, nil) }
        let shape = try shape(tensor.shape.dim, of: message.name)
        do {
            _ = try Shape.byteCount(shape.dimensions.map { $0.value ?? 1 }, elementType)
        } catch {
            throw FormatError(error)
        }
        return (elementType, shape)
    }

    private mutating func shape(
        _ messages: [ONNXTensorShapeProto.Dimension], of name: String
    ) throws(FormatError) -> Shape {
        var dimensions: [Dimension] = []
        for (axis, message) in messages.enumerated() {
            switch message.value {
            case .dimParam(let symbol) where !symbol.isEmpty && !Self.placeholders.contains(symbol):
                dimensions.append(.symbol(symbol))
            case .dimValue(let value) where value > 0:
                dimensions.append(.fixed(Int(value)))
            case .dimValue(let value) where value < -1:
                throw .invalid("shape [\(messages.map(\.text).joined(separator: ", "))] has a negative dimension")
            default:
                dimensions.append(axis == 0 ? unnamedBatch() : .symbol(freshSymbol("\(name)_\(axis)")))
            }
        }
        return Shape(dimensions)
    }

    private mutating func unnamedBatch() -> Dimension {
        if let batch { return batch }
        let dimension = Dimension.symbol(freshSymbol("\(Dimension.batch)"))
        batch = dimension
        return dimension
    }

    private mutating func freshSymbol(_ base: String) -> String {
        var symbol = base
        while !symbols.insert(symbol).inserted { symbol += "_" }
        return symbol
    }
}

extension ONNXTensorShapeProto.Dimension {
    fileprivate var text: String {
        switch value {
        case .dimValue(let value): "\(value)"
        case .dimParam(let symbol): symbol
        case nil: "?"
        }
    }
}

extension ONNXTypeProto.OneOf_Value {
    fileprivate var text: String {
        switch self {
        case .tensorType: "a tensor"
        case .sequenceType: "a sequence"
        case .mapType: "a map"
        case .sparseTensorType: "a sparse tensor"
        case .optionalType: "an optional"
        }
    }
}
