import Graphs
import Tensors

extension Graph {
    /// The network with weights of 4 bits in products of rows. Each group of a column has a scale and a zero point.
    ///
    /// - Parameter groupSize: The number of weights of a group, a power of two from 16 on.
    /// - Returns: The network, and the products whose weights have 4 bits.
    func withNarrowWeights(groupSize: Int) throws -> (graph: Graph, products: [NarrowProduct]) {
        try replacingProducts { graph, node, product in
            guard let output = node.outputs[0] else { throw OperatorError.invalid("no output") }
            let name = graph[output].name
            let operation = MatMulNBits(depth: product.depth, columns: product.columns, blockSize: groupSize)
            let groups = (0..<product.columns).flatMap { column in
                product.groups(column, groupSize: groupSize, count: operation.blockCount)
            }
            let blocks = operation.blockCount
            let bytes = groups.flatMap(\.bytes)
            var points = [UInt8](repeating: 0, count: product.columns * ((blocks + 1) / 2))
            for (index, group) in groups.enumerated() {
                let (column, block) = index.quotientAndRemainder(dividingBy: blocks)
                points[column * ((blocks + 1) / 2) + block / 2] |= group.zeroPoint << (block % 2 == 0 ? 0 : 4)
            }
            let weights = graph.addInitializer(
                "\(name)/weights", try Tensor(bytes, shape: [product.columns, blocks, groupSize / 2]))
            let scales = graph.addInitializer(
                "\(name)/scales", try Tensor(groups.map { $0.scale * product.alpha }, shape: [groups.count]))
            let zeroPoints = graph.addInitializer("\(name)/zero_points", try Tensor(points, shape: [points.count]))
            return graph.append(
                operation, [node.inputs[0], weights, scales, zeroPoints], named: "\(name)/products")
        }
    }
}

extension NarrowProduct {
    /// The groups of an output channel.
    fileprivate func groups(_ column: Int, groupSize: Int, count: Int) -> [NibbleGroup] {
        let numbers = self.column(column)
        return (0..<count).map { group in
            NibbleGroup(numbers[group * groupSize..<min((group + 1) * groupSize, depth)], size: groupSize)
        }
    }
}

/// Weights of 4 bits with one scale and one zero point.
package struct NibbleGroup {
    package let scale: Float
    package let zeroPoint: UInt8
    package let integers: [UInt8]

    /// Ranges to try, as parts of the whole: leaving out the largest numbers can make the others more exact.
    private static let parts: [Float] = [1, 0.95, 0.9, 0.85, 0.8]

    /// Rounds numbers so that the sum of squares of their errors is small.
    ///
    /// - Parameter size: The number of integers; those beyond the numbers are the zero point.
    package init(_ numbers: ArraySlice<Float>, size: Int) {
        let (low, high) = (min(0, numbers.min() ?? 0), max(0, numbers.max() ?? 0))
        var best: (error: Float, scale: Float, zeroPoint: Float) = (.infinity, 1, 0)
        for part in Self.parts where high > low {
            let scale = max((high - low) * part / 15, .leastNormalMagnitude)
            let zeroPoint = min(max((-low * part / scale).rounded(), 0), 15)
            let error = numbers.reduce(Float(0)) { sum, number in
                let difference = (Self.integer(number, scale, zeroPoint) - zeroPoint) * scale - number
                return sum + difference * difference
            }
            if error < best.error { best = (error, scale, zeroPoint) }
        }
        (scale, zeroPoint) = (best.scale, UInt8(best.zeroPoint))
        integers =
            numbers.map { UInt8(Self.integer($0, best.scale, best.zeroPoint)) }
            + [UInt8](repeating: UInt8(best.zeroPoint), count: max(0, size - numbers.count))
    }

    private static func integer(_ number: Float, _ scale: Float, _ zeroPoint: Float) -> Float {
        min(max((number / scale).rounded(.toNearestOrEven) + zeroPoint, 0), 15)
    }

    /// The integers, two in each byte, the first in the lower bits.
    var bytes: [UInt8] { stride(from: 0, to: integers.count, by: 2).map { integers[$0] | integers[$0 + 1] << 4 } }
}
