import Tensors

/// The results of a graph's iterations for one of its outputs, which are joined along a new axis.
///
/// Small results are joined block by block while they arrive. A million of them would need more memory than a
/// ``MemoryBudget`` counts, and the system's allocator would keep it when they have ended.
struct IterationResults {
    private let output: Graph.Value
    private let axis: Int
    private let isBackwards: Bool
    /// The results that are joined, each along the new axis.
    private var blocks: [Tensor] = []
    /// The results that arrived after them.
    private var latest: [Tensor] = []
    private var first: TensorType?

    /// The maximum number of results in a block.
    private static let blockCount = 4096
    /// A block ends when it has this many bytes. A single result of this size stays as it is until the end.
    private static let blockByteCount = 4 << 20

    /// Makes a place for the results of one output.
    ///
    /// - Parameters:
    ///   - output: The index of the output among those of `body`.
    ///   - axis: The new axis.
    ///   - isBackwards: Whether the last result is the first along the axis.
    init(of body: Subgraph, output: Int, axis: Int = 0, isBackwards: Bool = false) {
        self.output = body.graph[body.graph.outputs[output]]
        self.axis = axis
        self.isBackwards = isBackwards
    }

    /// Adds the result of an iteration.
    ///
    /// - Throws: ``OperatorError/invalid(_:)`` when its type is not that of the results before.
    mutating func append(_ result: Tensor) throws {
        let type = TensorType(result, keepingContent: false)
        if let first, first.shape != type.shape || first.elementType != type.elementType {
            throw OperatorError.invalid("iterations give \(first) and \(type) for \"\(output.name)\"")
        }
        first = first ?? type
        latest.append(result)
        let byteCount = result.byteCount
        if byteCount < Self.blockByteCount,
            latest.count >= Self.blockCount || latest.count * byteCount >= Self.blockByteCount
        {
            try joinLatest(type)
        }
    }

    /// All results, joined.
    ///
    /// Without iterations the extents are those that the output declares, or 0 where it declares none.
    consuming func joined() throws -> Tensor {
        guard let first else {
            var shape = output.shape?.dimensions.map { $0.value ?? 0 } ?? []
            shape.insert(0, at: try Axes.resolve(axis, rank: shape.count + 1))
            return try Tensor(zeros: output.elementType ?? .float32, shape: shape)
        }
        if !latest.isEmpty { try joinLatest(first) }
        return blocks.count == 1 ? blocks[0] : try join(blocks, first)
    }

    private mutating func joinLatest(_ type: TensorType) throws {
        var shape = type.shape
        shape.insert(1, at: try Axes.resolve(axis, rank: shape.count + 1))
        blocks.append(try join(try latest.map { try $0.reshaped(to: shape) }, type))
        latest.removeAll(keepingCapacity: true)
    }

    /// Joins tensors along the new axis, which each of them has.
    private func join(_ parts: [Tensor], _ type: TensorType) throws -> Tensor {
        let axis = try Axes.resolve(axis, rank: type.shape.count + 1)
        var shape = type.shape
        shape.insert(parts.reduce(0) { $0 + $1.shape[axis] }, at: axis)
        // Extents of results without elements can be large.
        _ = try Shape.byteCount(shape, type.elementType)
        return try Concat(axis: axis).evaluate(
            isBackwards ? parts.reversed() : parts, outputTypes: [TensorType(type.elementType, shape)])[0]
    }
}
