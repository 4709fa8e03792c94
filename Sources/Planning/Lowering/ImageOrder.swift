import Graphs
import Tensors

/// Where the images of a batch lie in a value.
package enum ImageOrder: Sendable, Equatable {
    /// The value is one image's, or the same for all images.
    case one
    /// Each index along the axis is an image.
    case axis(Int)
    /// The images follow one another along the first axis, with this number of indices each.
    case blocks(Int)
    /// Not known.
    case unknown
}

extension ImageOrder {
    /// The order of the images in each value of a graph, indexed like `graph.values`.
    ///
    /// - Parameters:
    ///   - batch: The types of the graph's values for any batch size; nil where there is none.
    ///   - isPart: Whether the graph is a part of a network, whose inputs may hold several images unsaid.
    static func all(_ graph: Graph, _ batch: BatchTypes?, isPart: Bool) -> [ImageOrder] {
        guard let batch else {
            let isFixed = graph.inputs.allSatisfy { graph[$0].shape?.fixed != nil }
            return graph.values.map { _ in isFixed && !isPart ? .one : .unknown }
        }
        var orders = graph.values.indices.map { index in
            batch.symbolic.indices.contains(index) ? ImageOrder(batch.symbolic[index], batch.symbol) : .unknown
        }
        // A value with several rows for each image is in order where it comes from one that is.
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
    /// How many indices along the first axis an image has, where that is the only one that follows the batch.
    fileprivate func firstExtentOfAnImage(_ index: Int) -> Int? {
        guard symbolic.indices.contains(index), let dimensions = symbolic[index]?.shape.dimensions,
            dimensions.first?.value == nil, dimensions.dropFirst().allSatisfy({ $0.value != nil })
        else { return nil }
        return ofOneImage[index]?.shape.first
    }
}

extension Operator {
    /// Whether the rows of the result follow one another as those of the inputs do.
    fileprivate var keepsOrder: Bool {
        switch self {
        case is Reshape, is Flatten, is Squeeze, is Unsqueeze, is Identity, is Dropout, is Cast, is Clip, is MatMul,
            is any ElementwiseUnary, is any BroadcastingOperator, is LayerNormalization:
            true
        case let product as Gemm: !product.transA
        default: false
        }
    }
}
