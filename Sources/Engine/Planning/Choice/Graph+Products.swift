import Graphs

extension Graph {
    /// For every node, whether a later convolution, matrix product or mean depends on it.
    var nodesBeforeProducts: [Bool] {
        var isNeeded = [Bool](repeating: false, count: values.count)
        var result = [Bool](repeating: false, count: nodes.count)
        for (index, node) in nodes.enumerated().reversed() {
            result[index] = node.outputs.contains { $0.map { isNeeded[$0.index] } ?? false }
            guard result[index] || node.operation.sumsManyProducts else { continue }
            for case let input? in node.inputs { isNeeded[input.index] = true }
        }
        return result
    }
}

extension Operator {
    /// Whether each element of the result is a sum over many elements, which evens out their errors.
    fileprivate var sumsManyProducts: Bool {
        self is Conv || self is MatMul || self is Gemm || self is GlobalAveragePool || self is ReduceMean
    }
}
