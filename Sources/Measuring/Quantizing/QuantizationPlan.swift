import Graphs
import Tensors

/// The choice of a network's values that become 8-bit integers.
package struct QuantizationPlan {
    /// The values to quantize, in the order of computation, each with the value whose scale it uses.
    package private(set) var values: [(id: Graph.ValueID, scaleOf: Graph.ValueID)] = []
    /// The nodes whose weights become integers.
    private(set) var products: Set<Int> = []
    private var isQuantized: [Graph.ValueID: Graph.ValueID] = [:]

    /// - Parameters:
    ///   - floatLayerCount: The number of first products that stay in float32. If it is not 0, the last one does too.
    ///   - kept: The names of further nodes that stay in float32.
    package init(_ graph: Graph, floatLayerCount: Int, keeping kept: Set<String> = []) {
        let all = Self.products(of: graph)
        let rounded = floatLayerCount > 0 ? all.dropFirst(floatLayerCount).dropLast() : all[...]
        self.init(graph, rounding: Set(rounded.filter { !kept.contains(graph.nodes[$0].name) }))
    }

    /// - Parameter products: The indices of the products whose weights and inputs are rounded.
    init(_ graph: Graph, rounding products: Set<Int>) {
        self.products = products
        var consumers: [Graph.ValueID: [Int]] = [:]
        for (index, node) in graph.nodes.enumerated() {
            for case let input? in node.inputs { consumers[input, default: []].append(index) }
        }
        /// The output of an activation that is the only reader of a result.
        func activated(_ id: Graph.ValueID) -> Graph.ValueID {
            guard let readers = consumers[id], readers.count == 1, let reader = readers.first,
                graph.nodes[reader].operation is Relu || graph.nodes[reader].operation is Clip,
                !graph.outputs.contains(id), let output = graph.nodes[reader].outputs[0]
            else { return id }
            return output
        }
        for (index, node) in graph.nodes.enumerated() {
            guard let output = node.outputs.first ?? nil else { continue }
            let inputs = node.inputs.compactMap { $0 }
            switch node.operation {
            case _ where products.contains(index):
                mark(inputs[0], graph)
                // What follows the products of a transformer is computed in float32.
                if !(node.operation is MatMul) { mark(activated(output), graph) }
            case is Add where inputs.allSatisfy({ isQuantized[$0] != nil }): mark(activated(output), graph)
            case is GlobalAveragePool where isQuantized[inputs[0]] != nil: mark(output, graph)
            case is Concat where inputs.allSatisfy({ isQuantized[$0] != nil }):
                mark(output, graph)
                // A value without other readers is rounded only once, as a part of the result.
                for input in inputs where isQuantized[input] == input && consumers[input]?.count == 1 {
                    share(scaleOf: output, with: input)
                }
            case is MaxPool, is Reshape, is Flatten, is Squeeze, is Unsqueeze, is Transpose:
                if node.outputs.count == 1, let scale = isQuantized[inputs[0]] { mark(output, graph, scaleOf: scale) }
            default: break
            }
        }
    }

    private mutating func mark(_ id: Graph.ValueID, _ graph: Graph, scaleOf other: Graph.ValueID? = nil) {
        guard isQuantized[id] == nil, graph.initializers[id] == nil, !graph.outputs.contains(id) else { return }
        isQuantized[id] = other ?? id
        values.append((id, other ?? id))
    }

    /// Gives a value, and all values that share its scale, the scale of another value.
    private mutating func share(scaleOf owner: Graph.ValueID, with id: Graph.ValueID) {
        guard isQuantized[owner] == owner else { return }
        for index in values.indices where values[index].scaleOf == id {
            isQuantized[values[index].id] = owner
            values[index].scaleOf = owner
        }
    }

    /// The indices of the convolutions and matrix products that can be rounded, in order.
    static func products(of graph: Graph) -> [Int] { graph.nodes.indices.filter { isProduct(graph.nodes[$0], graph) } }

    /// Whether a node is a convolution or a matrix product with constant weights.
    private static func isProduct(_ node: Graph.Node, _ graph: Graph) -> Bool {
        guard node.inputs.count >= 2, let weights = node.inputs[1].flatMap({ graph.initializers[$0] }),
            weights.elementType == .float32,
            node.inputs.count < 3
                || node.inputs[2].map({ graph.initializers[$0] != nil }) ?? true
        else { return false }
        switch node.operation {
        case is Conv: return weights.shape.count == 4
        case let product as Gemm:
            return product.alpha == 1 && product.beta == 1 && !product.transA && weights.shape.count == 2
        case let product as MatMul:
            return product.activation == nil && weights.shape.count == 2
                && node.inputs[0].map { graph.initializers[$0] == nil } ?? false
        default: return false
        }
    }
}

extension Graph {
    /// Why products with constant weights stay as they are, for the end of a message; empty where there is none.
    var unroundedProducts: String {
        let products = nodes.filter { node in
            (node.operation is Conv || node.operation is Gemm || node.operation is MatMul) && node.inputs.count > 1
                && node.inputs[1].map { initializers[$0] != nil } ?? false
        }
        let types = Set(products.compactMap { $0.inputs[1].flatMap { initializers[$0] }?.elementType })
        if let type = types.first, types.count == 1, type != .float32 {
            return "; \(products.count) with constant weights compute in \(type), and only float32 is rounded"
        }
        guard let node = products.first, let weights = node.inputs[1].flatMap({ initializers[$0] }) else { return "" }
        return
            "; node \"\(node.name)\" (\(node.operatorName)) with weights \(weights.elementType)\(weights.shape) is of "
            + "a form that is not rounded"
    }
}
