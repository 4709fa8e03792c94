import Graphs
import Tensors

extension RewritePatterns {
    static let attention = [
        Row(MoveBatchTranspose.self) { it in
            it.tolerance = .rounded
            let x = try it.input(it.pick([[2, 3, 4], [2, 3, 2, 4]]))
            let rank = it.shape(x).count
            let order = it.chance(6) ? it.shuffled(Array(0..<rank)) : [1, 0] + Array(2..<rank)
            let rows = try it.apply(Transpose(permutation: order), [x])
            if it.chance(2) {
                let activation = it.chance(6) ? Activation.relu : nil
                try it.finish(try it.apply(MatMul(activation: activation), [rows, it.parameter([4, 5])]))
            } else {
                let shape = it.pick([
                    [3, -1, 2, 2], [3, -1, 4], [3, -1, 4, 1], [3, 2, 4], [-1, 4], [0, -1, 4], [2, -1, 2],
                ])
                try it.finish(try it.apply(Reshape(), [rows, it.integers(shape)]))
            }
        },
        Row(FuseAttention.self) { it in
            it.tolerance = .rounded
            try it.finish(try it.attention())
        },
    ]
}

extension RandomPattern {
    /// softmax(scale · q · kᵀ + bias) · v of heads that are split from rows, or nearly so.
    mutating func attention() throws -> Value {
        let (images, rows, heads, size) = (number(1...2), number(1...4), number(1...2), number(1...3))
        let width = heads * size
        func split(_ x: Value, _ it: inout RandomPattern, _ order: [Int]) throws -> Value {
            try it.apply(
                Transpose(permutation: order),
                [it.apply(Reshape(), [x, it.integers([it.hasOpenBatch ? -1 : images, rows, heads, size])])])
        }
        var parts: [Value] = []
        if chance(2) {
            let joined = try input([images, rows, 3 * width])
            parts = try results(Split(axis: -1, extents: [width, width, width]), [joined], count: 3)
        } else {
            parts = try (0..<3).map { _ in try input([images, rows, width]) }
        }
        var query = try split(parts[0], &self, [0, 2, 1, 3])
        let isOperator = chance(5)
        var key = try split(parts[1], &self, isOperator ? [0, 2, 1, 3] : [0, 2, 3, 1])
        var value = try split(parts[2], &self, [0, 2, 1, 3])
        func scaled(_ x: Value, _ it: inout RandomPattern) throws -> Value {
            let factor = it.pick([0.5, 2, -1, 0.125])
            return try it.apply(it.chance(2) ? Mul() : Div(), [x, it.constant([factor], it.chance(2) ? [] : [1])])
        }
        if chance(3) { query = try scaled(query, &self) }
        if chance(3) { key = try scaled(key, &self) }
        if chance(12) { value = try scaled(value, &self) }
        func mask(_ shape: [Int], _ it: inout RandomPattern) throws -> Value {
            let numbers = it.numbers(shape.elementCount, .float32).map { number in
                it.palette != .dyadic && it.chance(4) ? -Double.infinity : number
            }
            let tensor = try Tensor(numbers, as: .float32, shape: shape)
            return it.chance(5) ? try it.input(tensor) : it.constant(tensor)
        }
        let masks = [
            [rows, rows], [1, heads, rows, rows], [1, 1, rows, rows], [1, rows], [images, 1, rows, rows], [rows],
        ]
        if isOperator {
            var operands: [Value?] = [query, key, value]
            if chance(2) { operands.append(try mask(pick(Array(masks.prefix(3))), &self)) }
            return try apply(Attention(), operands)
        }
        var scores = try apply(MatMul(), [query, key])
        if chance(2) { scores = try scaled(scores, &self) }
        for _ in 0..<pick([0, 0, 1, 2]) { scores = try commuted(Add(), scores, mask(pick(masks), &self)) }
        if chance(8) { scores = try scaled(scores, &self) }
        let weights = try apply(Softmax(axis: pick([-1, -1, -1, 3, 2])), [scores])
        let result = try apply(MatMul(), [weights, value])
        switch number(0...3) {
        case 0: return result
        case 1: return try apply(Transpose(permutation: pick([[2, 0, 1, 3], [0, 2, 3, 1]])), [result])
        default: return try apply(Transpose(permutation: [0, 2, 1, 3]), [result])
        }
    }
}
