import Glibc
import Graphs
import Tensors

/// A normalization whose result only products with constant weights read.
package struct BalancedNormalization {
    /// The index of the LayerNormalization.
    package let node: Int
    package let result: Graph.ValueID
    /// The indices of the products.
    package let products: [Int]
}

extension Graph {
    /// The normalizations before products, along the last axis.
    package var balanceableNormalizations: [BalancedNormalization] {
        var readers: [ValueID: [Int]] = [:]
        for (index, node) in nodes.enumerated() {
            for case let input? in node.inputs { readers[input, default: []].append(index) }
        }
        return nodes.indices.compactMap { index in
            let node = nodes[index]
            guard node.operation is LayerNormalization, node.outputs.count == 1, let result = node.outputs[0],
                !outputs.contains(result), node.inputs.count > 1,
                let scale = node.inputs[1].flatMap({ initializers[$0] }), scale.shape.count == 1,
                scale.elementType == .float32,
                node.inputs.count < 3 || node.inputs[2].map({ initializers[$0]?.shape == scale.shape }) ?? true,
                let products = readers[result], !products.isEmpty,
                products.allSatisfy({ multiplies(nodes[$0], result, extent: scale.shape[0]) })
            else { return nil }
            return BalancedNormalization(node: index, result: result, products: products)
        }
    }

    /// Whether a node multiplies rows of a value, of `extent` elements each, by constant weights.
    private func multiplies(_ node: Node, _ value: ValueID, extent: Int) -> Bool {
        guard node.inputs.first == value, !node.inputs.dropFirst().contains(value), node.inputs.count > 1,
            let weights = node.inputs[1].flatMap({ initializers[$0] }), weights.shape.count == 2,
            weights.elementType == .float32
        else { return false }
        switch node.operation {
        case is MatMul: return weights.shape[0] == extent
        case let gemm as Gemm: return !gemm.transA && weights.shape[gemm.transB ? 1 : 0] == extent
        default: return false
        }
    }

    /// Divides the channels of a normalization's result, and multiplies the weights behind by the same numbers, so that
    /// neither has channels much larger than the others. The network computes the same.
    ///
    /// The number of channel c is max |x_c|^strength / max |w_c|^(1 − strength), with all weights by which the channel
    /// is multiplied.
    /// Reference: Xiao et al., 2022, https://arxiv.org/abs/2211.10438
    ///
    /// - Parameters:
    ///   - magnitudes: The largest magnitude of every channel of the result.
    ///   - strength: From 0 to 1.
    package mutating func balance(_ place: BalancedNormalization, magnitudes: [Float], strength: Double) throws {
        var largest = [Float](repeating: 0, count: magnitudes.count)
        for product in place.products {
            for (channel, magnitude) in rowMagnitudes(nodes[product]).enumerated()
            where largest.indices.contains(channel) {
                largest[channel] = max(largest[channel], magnitude)
            }
        }
        let factors = zip(magnitudes, largest).map { magnitude, weight -> Float in
            guard magnitude > 0, weight > 0, magnitude.isFinite, weight.isFinite else { return 1 }
            let factor = Float(pow(Double(magnitude), strength) / pow(Double(weight), 1 - strength))
            return min(max(factor, 1e-4), 1e4)
        }
        let inverses = factors.map { 1 / $0 }
        for position in 1..<nodes[place.node].inputs.count {
            guard let id = nodes[place.node].inputs[position], let numbers = initializers[id],
                numbers.elementCount == factors.count
            else { continue }
            let divided = zip(numbers.elements(as: Float.self), inverses).map { $0 * $1 }
            nodes[place.node].inputs[position] = addInitializer(
                "\(self[place.result].name)/balanced\(position)", try Tensor(divided, shape: [divided.count]))
        }
        for product in place.products {
            guard let id = nodes[product].inputs[1], let weights = initializers[id] else { continue }
            let isTransposed = (nodes[product].operation as? Gemm)?.transB ?? false
            let width = weights.shape[1]
            var numbers = weights.elements(as: Float.self)
            for index in numbers.indices {
                numbers[index] *= factors[isTransposed ? index % width : index / width]
            }
            nodes[product].inputs[1] = addInitializer(
                "\(self[id].name)/balanced\(product)", try Tensor(numbers, shape: weights.shape))
        }
    }

    /// The largest magnitude of the weights by which each channel is multiplied.
    private func rowMagnitudes(_ node: Node) -> [Float] {
        guard let weights = node.inputs[1].flatMap({ initializers[$0] }) else { return [] }
        let isTransposed = (node.operation as? Gemm)?.transB ?? false
        let width = weights.shape[1]
        var magnitudes = [Float](repeating: 0, count: weights.shape[isTransposed ? 1 : 0])
        for (index, number) in weights.elements(as: Float.self).enumerated() {
            let channel = isTransposed ? index % width : index / width
            magnitudes[channel] = max(magnitudes[channel], abs(number))
        }
        return magnitudes
    }
}
