import Graphs
import Platform
import Tensors

/// A MatMul or Gemm with constant weights, whose weights can be rounded.
struct NarrowProduct {
    /// Where the weights are stored as [N, K]; otherwise as [K, N].
    let isTransposed: Bool
    /// The product is multiplied by this number.
    let alpha: Float
    let weights: Tensor
    let depth: Int
    let columns: Int
    private let numbers: [Float]

    /// - Throws: ``ApusError`` when weights are not finite.
    init?(_ node: Graph.Node, _ graph: Graph) throws {
        guard node.inputs.count >= 2, node.inputs[0].map({ graph.initializers[$0] == nil }) ?? false,
            let weights = node.inputs[1].flatMap({ graph.initializers[$0] }),
            weights.elementType == .float32, weights.shape.count == 2, weights.elementCount > 0,
            (node.operation as? any ActivationFusing)?.activation == nil
        else { return nil }
        switch node.operation {
        case is MatMul where node.inputs.count == 2: (isTransposed, alpha) = (false, 1)
        case let gemm as Gemm where !gemm.transA && (gemm.beta == 1 || node.inputs.count == 2):
            (isTransposed, alpha) = (gemm.transB, gemm.alpha)
        default: return nil
        }
        self.weights = weights
        depth = weights.shape[isTransposed ? 1 : 0]
        columns = weights.shape[isTransposed ? 0 : 1]
        numbers = weights.elements(as: Float.self)
        guard numbers.allSatisfy(\.isFinite), alpha.isFinite else {
            throw ApusError.usage("\(node.name.printable): weights that are not finite cannot be rounded")
        }
    }

    /// The weights of an output channel.
    func column(_ index: Int) -> [Float] {
        isTransposed
            ? Array(numbers[index * depth..<(index + 1) * depth])
            : (0..<depth).map { numbers[$0 * columns + index] }
    }
}

extension Graph {
    /// The network with products in another form.
    ///
    /// - Parameter replace: Appends to `nodes` what replaces a product, except for the addition of a Gemm's C. Returns
    ///   the result.
    /// - Returns: The network, and the products that were replaced.
    func replacingProducts(
        _ replace: (inout Graph, Node, NarrowProduct) throws -> ValueID
    ) throws -> (graph: Graph, products: [NarrowProduct]) {
        var result = self
        result.nodes = []
        var products: [NarrowProduct] = []
        for node in nodes {
            guard let output = node.outputs.first ?? nil, let product = try NarrowProduct(node, self) else {
                result.nodes.append(node)
                continue
            }
            products.append(product)
            let value = try replace(&result, node, product)
            if node.operation is Gemm, node.inputs.count > 2, let addend = node.inputs[2] {
                result.nodes.append(
                    Node(
                        name: "\(self[output].name)/add", operation: Add(), inputs: [value, addend], outputs: [output]))
                continue
            }
            // The last node gives the product's own result.
            let last = result.nodes.count - 1
            result.nodes[last].outputs = [output]
        }
        let read = Set(result.nodes.flatMap { $0.inputs.compactMap { $0 } } + result.outputs)
        result.initializers = result.initializers.filter { read.contains($0.key) }
        return (result, products)
    }

    /// Appends a node with one result.
    mutating func append(
        _ operation: any Operator, _ inputs: [ValueID?], named name: String, _ elementType: ElementType = .float32
    ) -> ValueID {
        let output = addValue(name, elementType: elementType)
        nodes.append(Node(name: name, operation: operation, inputs: inputs, outputs: [output]))
        return output
    }
}
