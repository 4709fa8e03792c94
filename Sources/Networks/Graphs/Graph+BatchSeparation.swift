import Tensors

extension Graph {
    /// The reason, as a phrase, why the images of a batch cannot be computed separately; nil when they can.
    ///
    /// They can when every value that follows the batch has it, or a multiple, as its first extent, every node computes
    /// an image's part of its result from the same image's part of its inputs, every output has a part for each image,
    /// and constants do not depend on the batch size, except shapes and constants that are repeated for each image.
    ///
    /// - Parameters:
    ///   - other: The same network, specialised for another batch size; its constants are compared.
    ///   - batch: The types of the network from which both were specialised.
    package func reasonAgainstSeparation(comparedWith other: Graph, _ batch: BatchTypes) -> String? {
        guard nodes.count == other.nodes.count, zip(nodes, other.nodes).allSatisfy({ $0.name == $1.name }) else {
            return "other nodes remain at another batch size"
        }
        for id in outputs where batch.follows(id) != true || batch.extents(id)?.first != .symbol(batch.symbol) {
            return "output \"\(self[id].name)\" has no part for each image"
        }
        for node in nodes {
            if let reason = reasonAgainstSeparation(of: node, comparedWith: other, batch) {
                return "node \"\(node.name)\" (\(node.operatorName)) \(reason)"
            }
        }
        return nil
    }

    private func reasonAgainstSeparation(
        of node: Node, comparedWith other: Graph, _ batch: BatchTypes
    ) -> String? {
        var follows: [Bool] = []
        for (position, id) in node.inputs.enumerated() {
            guard let id else {
                follows.append(false)
                continue
            }
            if let content = initializers[id] {
                // The caller checks by the types of results that the batch stays the first axis.
                let isShape =
                    (node.operation is Reshape && position == 1) || (node.operation is Resize && position == 3)
                let isFixed = isShape || other.initializers[id].map { content.hasSameContent(as: $0) } ?? false
                guard isFixed || other.initializers[id].map({ content.isRepeated(in: $0) }) ?? false else {
                    return "reads \"\(self[id].name)\", which depends on the batch size"
                }
                follows.append(!isFixed)
                continue
            }
            guard let followed = batch.follows(id) else {
                return "reads \"\(self[id].name)\", whose extents do not simply follow the batch"
            }
            follows.append(followed)
        }
        if node.operation is MaxPool, node.outputs.count > 1 { return "counts positions through the whole batch" }
        let isAnyFollowing = follows.contains(true)
        for case let id? in node.outputs {
            if isAnyFollowing, !node.operation.keepsElementsInOrder, batch.changesFirstExtent(node, id) {
                return "gives another number of rows for an image"
            }
            guard let followed = batch.follows(id) else { return "gives extents that do not simply follow the batch" }
            guard followed == isAnyFollowing else { return "makes one of what has a part for each image" }
        }
        guard isAnyFollowing else { return nil }
        let types = node.inputs.map { id in
            id.flatMap { id in initializers[id].map { TensorType($0) } ?? batch.ofOneImage[id.index] }
        }
        let rank = node.outputs.compactMap { $0 }.first.flatMap { batch.ofOneImage[$0.index]?.rank } ?? 0
        return node.operation.computesImagesApart(follows, types, resultRank: rank)
            ? nil : "may compute an image from the others"
    }
}

extension Operator {
    /// Whether each part of the result along its first axis depends only on the same part of the inputs that follow the
    /// batch. The result has the batch as its first axis.
    ///
    /// - Parameters:
    ///   - follows: Whether each input has the batch as its first axis; other inputs are the same for every image.
    ///   - types: The types of the inputs for one image.
    fileprivate func computesImagesApart(_ follows: [Bool], _ types: [TensorType?], resultRank: Int) -> Bool {
        let ranks = types.map { $0?.rank ?? 0 }
        func isInner(_ axis: Int) -> Bool { axis > 0 || (axis < 0 && axis + ranks[0] > 0) }
        let isOnlyFirst = follows[0] && !follows.dropFirst().contains(true)
        switch self {
        case is any BroadcastingOperator, is any IntegerBroadcasting, is PRelu:
            return zip(follows, ranks).allSatisfy { !$0 || $1 == resultRank }
        case is Conv:
            return follows[0] && follows.enumerated().allSatisfy { !$1 || $0 == 0 || $0 == Conv.addendPosition }
        case let concat as Concat: return isInner(concat.axis) && follows.allSatisfy { $0 }
        case let product as Gemm: return !product.transA && follows[0] && !follows[1]
        case is MatMul:
            // The rows of the batch times one matrix, or a stack of matrices times another stack.
            return follows[0] && ranks[0] >= 2 && (follows.count <= 2 || !follows[2])
                && (follows[1] ? ranks[0] == ranks[1] && ranks[0] >= 3 : ranks[1] <= 2)
        case let product as QuantizedMatMul:
            return product.quantization != .whole && ranks[0] >= 2
                && follows.enumerated().allSatisfy { $1 == ($0 == 0 || $0 == QuantizedMatMul.addendPosition) }
        case is MatMulNBits:
            return ranks[0] >= 2
                && follows.enumerated().allSatisfy { $1 == ($0 == 0 || $0 == MatMulNBits.addendPosition) }
        case let attention as ScaledDotProductAttention:
            return attention.isBatched && follows.prefix(3).allSatisfy { $0 } && !follows.dropFirst(3).contains(true)
        case let gather as Gather: return isOnlyFirst && isInner(gather.axis)
        case let normalization as any AxisNormalization: return isInner(normalization.axis)
        case let normalization as LayerNormalization: return isOnlyFirst && isInner(normalization.axis)
        case let pad as Pad:
            guard isOnlyFirst, let pads = try? pad.resolvedPads(types) else { return false }
            return pads.begin.first == 0 && pads.end.first == 0
        case let quantization as QuantizeLinear:
            return isOnlyFirst && (ranks[1] == 0 || isInner(quantization.grid.axis))
        case let quantization as DequantizeLinear:
            return isOnlyFirst && (ranks[1] == 0 || isInner(quantization.grid.axis))
        case let slice as Slice:
            return isOnlyFirst && (try? slice.selections(types))?.allSatisfy { $0.axis > 0 } ?? false
        case let split as Split: return isOnlyFirst && isInner(split.axis)
        case let top as TopK: return isOnlyFirst && isInner(top.axis)
        case let transpose as Transpose: return (try? transpose.order(rank: ranks[0]))?.first == 0
        // The caller checks by shapes that the batch stays the first axis.
        case is any ElementwiseUnary, is any Pooling, is any GlobalPooling, is any Reduction, is any ImageResizing,
            is AffineQuantize, is BatchNormalization, is Cast, is Clip, is ConvTranspose, is DepthToSpace, is Dropout,
            is Flatten,
            is Identity, is InstanceNormalization, is IntegerConv, is IntegerMean, is IntegerResize, is IntegerSoftmax,
            is LRN, is Lookup,
            is Not, is Reshape, is SpaceToDepth, is Squeeze,
            is Unsqueeze:
            return isOnlyFirst
        default: return false
        }
    }
}

extension BatchTypes {
    /// True when a value's first extent is the batch size, or a multiple of it, and all others are fixed; false when
    /// all are fixed; nil when neither is known.
    ///
    /// In the first case the rows of an image are adjacent, if every node before keeps them so.
    package func follows(_ id: Graph.ValueID) -> Bool? {
        guard let extents = extents(id) else { return nil }
        guard let first = extents.first else { return false }
        guard extents.dropFirst().allSatisfy({ $0.value != nil }) else { return nil }
        switch first {
        case .fixed: return false
        case .symbol(let name):
            return name.hasSuffix(symbol) && name.dropLast(symbol.count).allSatisfy(\.isNumber) ? true : nil
        }
    }

    /// The extents of a value for any batch size, where known.
    fileprivate func extents(_ id: Graph.ValueID) -> [Dimension]? {
        symbolic.indices.contains(id.index) ? symbolic[id.index]?.shape.dimensions : nil
    }

    /// Whether a result has another number of indices along its first axis for each image than an input that follows
    /// the batch.
    fileprivate func changesFirstExtent(_ node: Graph.Node, _ result: Graph.ValueID) -> Bool {
        let extents = (node.inputs + [result]).compactMap { id in
            id.flatMap { follows($0) == true ? self.extents($0)?.first : nil }
        }
        return Set(extents).count > 1
    }
}

extension Operator {
    /// Whether the result has the same elements as the first input in the same order.
    fileprivate var keepsElementsInOrder: Bool {
        self is Reshape || self is Flatten || self is Squeeze || self is Unsqueeze
    }
}

extension Tensor {
    /// Whether two tensors hold the same bytes.
    fileprivate func hasSameContent(as other: Tensor) -> Bool {
        guard elementType == other.elementType, shape == other.shape else { return false }
        if storage === other.storage, offset == other.offset, strides == other.strides { return true }
        return
            (try? withContiguousBytes { bytes in
                try other.withContiguousBytes { bytes.elementsEqual($0) }
            }) ?? false
    }

    /// Whether `other` holds the bytes of this tensor, whose first extent is 1, once for each index of its first axis.
    fileprivate func isRepeated(in other: Tensor) -> Bool {
        guard elementType == other.elementType, shape.first == 1, other.shape.dropFirst() == shape.dropFirst(),
            elementCount > 0
        else { return false }
        return
            (try? withContiguousBytes { bytes in
                try other.withContiguousBytes { others in
                    stride(from: 0, to: others.count, by: bytes.count).allSatisfy {
                        others[$0..<min($0 + bytes.count, others.count)].elementsEqual(bytes)
                    }
                }
            }) ?? false
    }
}
