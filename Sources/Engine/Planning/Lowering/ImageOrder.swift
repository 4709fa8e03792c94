import Graphs
import Tensors

/// Where the images of a batch lie in a value.
package enum ImageOrder: Sendable, Equatable {
    /// The value belongs to one image, or is the same for all images.
    case one
    /// Each index along the axis is an image.
    case axis(Int)
    /// The images follow one another along the first axis, with this number of indices each.
    case blocks(Int)
    /// The order is not known.
    case unknown
}

extension ImageOrder {
    /// The order of the images in each value of a graph, indexed like `graph.values`.
    ///
    /// - Parameters:
    ///   - batch: The types of the graph's values for any batch size; nil where they are unknown.
    ///   - isPart: Whether the graph is a part of a network, whose inputs may hold several images without declaring it.
    static func all(_ graph: Graph, _ batch: BatchTypes?, isPart: Bool) -> [ImageOrder] {
        guard let batch else {
            let isFixed = graph.inputs.allSatisfy { graph[$0].shape?.fixed != nil }
            return graph.values.map { _ in isFixed && !isPart ? .one : .unknown }
        }
        var orders = graph.values.indices.map { index in
            batch.symbolic.indices.contains(index) ? ImageOrder(batch.symbolic[index], batch.symbol) : .unknown
        }
        // A value with several rows per image is in order where it is computed from a value that is.
        for node in graph.nodes where node.operation.keepsOrder {
            let inputs = node.inputs.compactMap { $0 }.map { orders[$0.index] }
            guard !inputs.contains(.unknown), inputs.contains(where: { $0.beginsWithImages }) else { continue }
            guard inputs.allSatisfy({ $0 == .one || $0.beginsWithImages }) else { continue }
            for case let id? in node.outputs where orders[id.index] == .unknown {
                guard let factor = batch.firstExtentOfAnImage(id.index) else { continue }
                orders[id.index] = .blocks(factor)
            }
        }
        return orders
    }

    private init(_ type: SymbolicType?, _ symbol: String) {
        self = .unknown
        guard let dimensions = type?.shape.dimensions else { return }
        let following = dimensions.indices.filter { dimensions[$0].value == nil }
        if following.isEmpty { self = .one }
        if following.count == 1, dimensions[following[0]] == .symbol(symbol) { self = .axis(following[0]) }
    }

    private var beginsWithImages: Bool {
        switch self {
        case .axis(0), .blocks: true
        default: false
        }
    }
}

extension BatchTypes {
    /// The number of indices of one image along the first axis, where only that axis depends on the batch.
    fileprivate func firstExtentOfAnImage(_ index: Int) -> Int? {
        guard symbolic.indices.contains(index), let dimensions = symbolic[index]?.shape.dimensions,
            dimensions.first?.value == nil, dimensions.dropFirst().allSatisfy({ $0.value != nil })
        else { return nil }
        return ofOneImage[index]?.shape.first
    }
}

extension Operator {
    /// Whether the rows of the result follow one another in the order of the inputs' rows.
    fileprivate var keepsOrder: Bool {
        switch self {
        case is Reshape, is Flatten, is Squeeze, is Unsqueeze, is Identity, is Dropout, is Cast, is Clip, is MatMul,
            is QuantizedMatMul, is MatMulNBits, is any ElementwiseUnary, is any BroadcastingOperator,
            is LayerNormalization:
            true
        case let product as Gemm: !product.transA
        default: false
        }
    }
}
