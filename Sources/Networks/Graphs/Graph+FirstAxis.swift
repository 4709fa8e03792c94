import Tensors

extension Graph {
    /// Whether an input leaves its first extent open.
    package var hasOpenFirstAxis: Bool { inputs.contains(where: isFirstAxisOpen) }

    private func isFirstAxisOpen(_ id: ValueID) -> Bool {
        if case .symbol? = self[id].shape?.dimensions.first { true } else { false }
    }

    /// The reason, as a phrase, why the open first axis of the inputs is not a batch; nil when it may be one.
    ///
    /// It is none where one row is refused, and where a node computes rows from other rows, as Softmax over axis 0
    /// does. A node of which that is not certain does not count.
    ///
    /// - Parameter inputShapes: The extents of every input. The numbers do not matter where a first extent is open.
    package func reasonAgainstBatch(inputShapes: [[Int]]) -> String? {
        guard hasOpenFirstAxis else { return nil }
        var probed: [[TensorType?]] = []
        for count in SymbolicType.probes {
            do throws(GraphError) {
                probed.append(try inferKnownTypes(inputShapes: self.inputShapes(inputShapes, rows: count)))
            } catch {
                // A network that refuses several rows takes a batch of one.
                let isRefusal = count == 1 && !error.isUnsupported && acceptedRowCount(inputShapes) != nil
                return isRefusal ? error.description : nil
            }
        }
        return RowAxes(self, probed).reason
    }

    /// A number of rows above 1 that the shape rules accept, among those that are likely; nil when they accept none of
    /// them.
    package func acceptedRowCount(_ inputShapes: [[Int]]) -> Int? {
        guard hasOpenFirstAxis else { return nil }
        return rowCounts.first { count in
            (try? inferKnownTypes(inputShapes: self.inputShapes(inputShapes, rows: count))) != nil
        }
    }

    /// Small numbers of rows, and numbers that the network mentions. They are few, and fewer for a large network, since
    /// a stranger's file may make each trial long.
    private var rowCounts: [Int] {
        var mentioned: Set<Int> = []
        for node in nodes {
            mentioned.insert(node.outputs.count)
            if let split = node.operation as? Split, let extents = split.extents {
                mentioned.insert(extents.reduce(0) { $0 &+ $1 })
            }
            if let top = node.operation as? TopK, let count = top.k { mentioned.insert(count) }
        }
        for tensor in initializers.values {
            mentioned.formUnion(tensor.shape)
            guard tensor.elementType == .int64, tensor.elementCount <= 64 else { continue }
            let numbers = tensor.elements(as: Int64.self).map(Int.init)
            mentioned.formUnion(numbers + [numbers.reduce(0) { $0 &+ $1 }])
        }
        let small = 2...16
        let others = mentioned.filter { $0 > small.upperBound && $0 <= 65_536 }.sorted()
        return Array((Array(small) + others).prefix(max(4, min(32, 1_000_000 / max(nodes.count, 1)))))
    }

    /// The extents of the inputs with another number of rows where the first extent is open.
    package func inputShapes(_ shapes: [[Int]], rows: Int) -> [[Int]] {
        zip(inputs, shapes).map { id, shape in isFirstAxisOpen(id) ? [rows] + shape.dropFirst() : shape }
    }
}

/// Follows the rows of a network's inputs through its values, until a node computes with several of them.
private struct RowAxes {
    /// Why the rows are not computed apart, as a phrase; nil when that is not certain.
    private(set) var reason: String?

    private let graph: Graph
    /// The types of all values for each of ``SymbolicType/probes``.
    private let probed: [[TensorType?]]
    /// The axes of each value along which its extent grows with the number of rows; nil for a value that is not
    /// computed from the rows, or whose types are not known.
    private var axes: [[Int]?]

    /// A number of rows beyond what a network names.
    private static let manyRows = 1 << 20

    init(_ graph: Graph, _ probed: [[TensorType?]]) {
        self.graph = graph
        self.probed = probed
        axes = Array(repeating: nil, count: graph.values.count)
        for id in graph.inputs where symbolicType(id)?.shape.dimensions.first?.value == nil { axes[id.index] = [0] }
        var joint: String?
        for node in graph.nodes where !(node.operation is ShapeOperator || node.operation is Size) {
            let inputs = node.inputs.map { $0.flatMap { axes[$0.index] } ?? [] }
            guard inputs.contains(where: { !$0.isEmpty }) else { continue }
            let types = node.inputs.map { $0.flatMap { probed[probed.count - 1][$0.index] } }
            if let obstacle = obstacle(node, inputs, types) ?? follow(node, inputs) {
                reason = "node \"\(node.name)\" (\(node.operatorName)) \(obstacle)"
                return
            }
            if joint == nil, let axis = Self.joinedAxis(node, inputs, types) {
                joint = "node \"\(node.name)\" (\(node.operatorName)) joins rows along axis \(axis)"
            }
        }
        // Rows may be joined and parted again.
        let isJoined = graph.outputs.contains { id in
            guard axes[id.index] != nil, case .symbol? = symbolicType(id)?.shape.dimensions.first else { return false }
            return symbolicType(id)?.shape.dimensions.first?.factor != 1
        }
        if isJoined { reason = joint }
    }

    private func symbolicType(_ id: Graph.ValueID) -> SymbolicType? {
        SymbolicType(probed: probed.compactMap { $0[id.index] }, symbol: "N")
    }

    /// Notes where the rows lie in the results of a node.
    ///
    /// - Returns: Why its results do not have a part for each row, as a phrase.
    private mutating func follow(_ node: Graph.Node, _ inputs: [[Int]]) -> String? {
        // A scale that is computed from all rows does not make them another's.
        let outputs = node.operation is DynamicQuantizeLinear ? node.outputs.prefix(1) : node.outputs[...]
        for case let id? in outputs {
            let types = probed.compactMap { $0[id.index] }
            guard types.count == probed.count, types.allSatisfy({ $0.rank == types[0].rank }) else { continue }
            guard let type = symbolicType(id) else {
                return "gives \(types[0].shape) for one row and \(types[1].shape) for two"
            }
            let found = type.shape.dimensions.indices.filter { type.shape.dimensions[$0].value == nil }
            if found.isEmpty { return "gives \(types[0].shape) for any number of rows" }
            if found.count > inputs.map(\.count).max() ?? 0 { return "pairs rows with one another" }
            axes[id.index] = found
        }
        return nil
    }

    /// Why a node computes rows from other rows although its results have the extents of its inputs, as a phrase.
    ///
    /// - Parameters:
    ///   - rows: The axes of each input along which rows lie.
    ///   - types: The types of the inputs for several rows.
    private func obstacle(_ node: Graph.Node, _ rows: [[Int]], _ types: [TensorType?]) -> String? {
        if node.operation is MatMul || node.operation is Gemm, Self.sumsRows(node.operation, rows, types) {
            return "adds up products of different rows"
        }
        if let einsum = node.operation as? Einsum, Self.sumsRows(einsum, rows, types) {
            return "adds up products of different rows"
        }
        let axis = Self.mixedAxes(node.operation, types).first { rows[0].contains($0) }
        return axis.map { "computes along axis \($0), where the rows lie" }
    }

    /// The axes of the first input along which an operator computes elements from others or selects some.
    private static func mixedAxes(_ operation: any Operator, _ types: [TensorType?]) -> [Int] {
        let rank = types[0]?.rank ?? 0
        func resolved(_ axis: Int) -> Int { axis < 0 ? axis + rank : axis }
        switch operation {
        case let normalization as any AxisNormalization:
            let axis = resolved(normalization.axis)
            return normalization.flattensTrailingAxes ? Array(min(axis, rank)..<rank) : [axis]
        case let normalization as LayerNormalization:
            return Array(min(max(0, resolved(normalization.axis)), rank)..<rank)
        case let normalization as RMSNormalization: return Array(min(max(0, resolved(normalization.axis)), rank)..<rank)
        case let normalization as MeanVarianceNormalization: return normalization.axes.map(resolved)
        case let reduction as any Reduction: return (try? reduction.axes.resolved(types)) ?? []
        case let convolution as Conv: return sumAxes(convolution.window, types)
        case let convolution as ConvTranspose: return sumAxes(convolution.window, types)
        case is ConvInteger, is ConvIntegerToFloat, is DeformConv: return Array(min(1, rank)..<rank)
        case is QLinearConv: return Array(min(1, rank)..<rank)
        case let pool as any Pooling: return windowAxes(pool.window.kernel)
        case is any GlobalPooling, is InstanceNormalization: return Array(min(2, rank)..<rank)
        case is GroupNormalization: return Array(min(1, rank)..<rank)
        case is LRN: return [1]
        case is Trilu, is EyeLike: return [rank - 2, rank - 1]
        case is Attention: return rank > 2 ? [rank - 2] : []
        case is ScatterND: return Array(0..<min(rank, types[1]?.shape.last ?? 0))
        case let gather as GatherND:
            let depth = types[1]?.shape.last ?? 0
            return Array(min(gather.batchAxes, rank)..<min(gather.batchAxes + depth, rank))
        case is any RunningFold: return (try? types.integers(1, "axis"))??.map(resolved) ?? []
        case let top as TopK: return [resolved(top.axis)]
        case let gather as Gather: return [resolved(gather.axis)]
        case let gather as GatherElements: return [resolved(gather.axis)]
        case let scatter as ScatterElements: return [resolved(scatter.axis)]
        case let reverse as ReverseSequence: return [resolved(reverse.timeAxis)]
        case let network as any RecurrentNetwork: return [network.recurrence.isBatchFirst ? 1 : 0]
        case let slice as Slice:
            guard var type = types[0] else { return [] }
            type.shape = type.shape.map { _ in manyRows }
            let selections = (try? slice.selections([type] + types.dropFirst())) ?? []
            return selections.filter { $0.start != 0 || $0.step != 1 || $0.count != manyRows }.map(\.axis)
        default: return []
        }
    }

    /// The spatial axes along which a window has several elements.
    private static func windowAxes(_ kernel: [Int]) -> [Int] { kernel.indices.filter { kernel[$0] > 1 }.map { $0 + 2 } }

    /// The axes along which a convolution sums: the channels, and those along which its kernel has several elements.
    private static func sumAxes(_ window: SpatialWindow, _ types: [TensorType?]) -> [Int] {
        let weights = types.count > 1 ? types[1]?.shape.dropFirst(2) : nil
        return [1] + windowAxes(window.kernel.isEmpty ? Array(weights ?? []) : window.kernel)
    }

    /// Whether a product's sums run along rows.
    private static func sumsRows(_ product: any Operator, _ rows: [[Int]], _ types: [TensorType?]) -> Bool {
        guard rows.count > 1, let left = types[0]?.rank, let right = types[1]?.rank else { return false }
        if let gemm = product as? Gemm {
            return rows[0].contains(gemm.transA ? 0 : 1) || rows[1].contains(gemm.transB ? 1 : 0)
        }
        return rows[0].contains(left - 1) || rows[1].contains(max(0, right - 2))
    }

    private static func sumsRows(_ einsum: Einsum, _ rows: [[Int]], _ types: [TensorType?]) -> Bool {
        guard let labels = try? einsum.parsed.labels(types.map { $0?.shape ?? [] }) else { return false }
        return zip(labels.operands, rows).contains { names, axes in
            axes.contains { names.indices.contains($0) && !labels.result.contains(names[$0]) }
        }
    }

    /// The axis along which a node joins rows; nil when it joins none.
    private static func joinedAxis(_ node: Graph.Node, _ rows: [[Int]], _ types: [TensorType?]) -> Int? {
        guard let concat = node.operation as? Concat else { return nil }
        let axis = concat.axis < 0 ? concat.axis + (types[0]?.rank ?? 0) : concat.axis
        return rows.contains { $0.contains(axis) } ? axis : nil
    }
}
