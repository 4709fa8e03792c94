import Graphs
import Tensors

extension RewritePatterns {
    static let products = [
        Row(ReplaceEinsumByMatMul.self) { it in
            it.tolerance = .rounded
            let equation = it.pick([
                "ij,jk->ik", "ij,jk->ki", "bij,bjk->bik", "bij,bkj->bik", "bhqd,bhkd->bhqk", "ij,kj->ik", "bij,jk->bik",
                "ij,ij->ij", "ij,j->i", "nchw,cd->nhwd", "ji,jk->ik", "bij,bjk->ibk",
            ])
            let extents = Dictionary(uniqueKeysWithValues: "abcdhijknqw".map { ($0, it.number(1...3)) })
            let type = it.anyType()
            let operands = try equation.prefix { $0 != "-" }.split(separator: ",").map { labels in
                try it.input(labels.map { it.chance(24) ? 1 : extents[$0] ?? 1 }, type)
            }
            try it.finish(try it.apply(try Einsum(equation: equation), operands))
        },
        Row(ReplaceGemmByMatMul.self) { it in
            it.tolerance = .rounded
            let x = try it.input([2, 3, 4], it.chance(6) ? .float64 : .float32)
            let type = it.type(x).elementType
            let rows = try it.apply(Reshape(), [x, it.integers(it.pick([[-1, 4], [6, 4], [12, 2]]))])
            let depth = it.shape(rows)[1]
            let transB = it.chance(2)
            let product = Gemm(
                alpha: it.chance(8) ? 0.5 : 1, beta: it.chance(8) ? 2 : 1, transB: transB,
                activation: it.chance(8) ? it.activation() : nil)
            var operands = [rows, try it.parameter(transB ? [5, depth] : [depth, 5], type)]
            if it.chance(2) {
                operands.append(try it.parameter(it.pick([[5], [1, 5], [], [it.shape(rows)[0], 1], [1]]), type))
            }
            let y = try it.apply(product, operands)
            let shape = it.pick([
                [2, 3, 5], [-1, 3, 5], [2, -1, 5], [2, 3, -1], [6, 5], [3, 2, 5], [5, 6], [1, 5, 6], [2, 15],
            ])
            try it.finish(try it.apply(Reshape(), [y, it.integers(shape)]))
        },
        Row(ReplaceMatMulByConv.self) { it in
            it.tolerance = .rounded
            let x = try it.input([2, 3, 2, 4], it.chance(8) ? .float64 : .float32)
            let type = it.type(x).elementType
            let pixels = try it.apply(Transpose(permutation: it.chance(8) ? [0, 3, 2, 1] : [0, 2, 3, 1]), [x])
            let depth = it.shape(pixels)[3]
            var y = try it.apply(
                MatMul(activation: it.chance(8) ? it.activation() : nil),
                [pixels, it.parameter([depth, it.pick([2, 5, 17])], type)])
            let columns = it.shape(y)[3]
            if it.chance(2) {
                let row = it.pick([[columns], [columns], [1, columns], [], [4, 1]])
                y = try it.commuted(Add(activation: it.chance(8) ? .relu : nil), y, it.parameter(row, type))
            }
            try it.finish(try it.apply(Transpose(permutation: it.chance(8) ? [0, 3, 2, 1] : [0, 3, 1, 2]), [y]))
        },
        Row(MoveTranspose.self) { it in
            it.tolerance = .rounded
            let x = try it.input(it.pick([[2, 3, 4], [2, 3, 2, 4]]))
            let rank = it.shape(x).count
            let y =
                it.chance(2)
                ? try it.apply(LayerNormalization(), [x, it.constant([4])])
                : try it.apply(MatMul(activation: it.chance(8) ? .relu : nil), [x, it.parameter([4, 5])])
            let order = it.chance(2) ? [0] + it.shuffled(Array(1..<rank)) : it.shuffled(Array(0..<rank))
            let moved = try it.apply(Transpose(permutation: order), [y])
            let shape = it.shape(moved)
            var other = shape.map { it.chance(3) ? 1 : $0 }
            if it.chance(3) { other = shape }
            other = Array(other.dropFirst(it.number(0...rank - 1)))
            let operand = it.chance(2) ? try it.constant(other) : try it.input(it.chance(4) ? other : shape)
            let operation: any Operator = it.chance(3) ? Mul() : Add(activation: it.chance(6) ? .relu : nil)
            try it.finish(try it.commuted(operation, moved, operand))
        },
        Row(MoveReshape.self) { it in
            let type = it.pick([.float32, .float32, .float16, .float64, .int32] as [ElementType])
            let x = try it.input([2, 3, 4], type)
            let shape = it.pick([[6, 4], [1, 2, 3, 4], [3, 2, 4], [-1, 4], [4, 6], [24], [2, 12]])
            let y = try it.apply(Reshape(), [x, it.integers(shape)])
            let last = it.shape(y).last ?? 1
            let rank = it.shape(y).count
            let row = it.pick([
                [last], [], [1], [Int](repeating: 1, count: rank - 1) + [last], Array(it.shape(y).suffix(2)),
                [Int](repeating: 1, count: rank + 1),
            ])
            var operation: any AlignedOperator = it.pick([Add(), Sub(), Mul(), Div(), Pow()])
            if type == .int32 { operation = it.pick([Add(), Sub(), Mul()]) }
            if it.chance(12) { operation.alignment = .axis(0) }
            try it.finish(try it.commuted(operation, y, it.parameter(row, type)))
        },
        Row(FuseProductBias.self) { it in
            it.tolerance = .rounded
            let type = it.chance(6) ? ElementType.float64 : .float32
            let x = try it.input(it.pick([[2, 3, 4], [1, 2, 3, 4], [3, 4]]), type)
            var operands: [RandomPattern.Value?] = [x, try it.parameter([4, 3], type)]
            if it.chance(3) { operands.append(try it.parameter([3], type)) }
            var y = try it.apply(MatMul(activation: it.chance(4) ? it.activation() : nil), operands)
            for _ in 0..<it.number(1...2) {
                let shape = it.shape(y)
                let row = it.pick([[3], [3], [1, 3], [], [1], [3, 1], shape])
                let operation: any Operator =
                    it.chance(2) ? Mul() : Add(activation: it.chance(4) ? it.activation() : nil)
                y = try it.commuted(operation, y, it.parameter(row, type))
            }
            try it.finish(y)
        },
        Row(FuseProductAddend.self) { it in
            it.tolerance = .rounded
            let type = it.chance(6) ? ElementType.float64 : .float32
            let x = try it.input(it.pick([[2, 3, 4], [1, 2, 3, 4], [3, 4]]), type)
            var operands: [RandomPattern.Value?] = [x, try it.parameter([4, 3], type)]
            if it.chance(3) { operands.append(try it.parameter([3], type)) }
            let y = try it.apply(MatMul(activation: it.chance(4) ? it.activation() : nil), operands)
            var shape = it.shape(y)
            if it.chance(6) { shape[it.number(0...shape.count - 1)] = 1 }
            let other =
                it.chance(3) ? try it.apply(MatMul(), [x, it.constant([4, 3], type)]) : try it.input(shape, type)
            try it.finish(try it.commuted(Add(activation: it.activation()), y, other))
        },
        Row(FuseNarrowProductAddend.self) { it in
            it.tolerance = .rounded
            let activation = it.chance(4) ? it.activation() : nil
            let x = try it.input(it.chance(2) ? [3, 16] : [2, 3, 16])
            let product: RandomPattern.Value
            if it.chance(2) {
                let weights = it.constant(
                    try Tensor((0..<80).map { _ in Int8(it.number(-128...127)) }, shape: [16, 5]))
                var operands: [RandomPattern.Value?] = [x, weights, try it.constant(it.factors(5), [5])]
                if it.chance(3) { operands.append(try it.constant([5])) }
                product = try it.apply(
                    QuantizedMatMul(.fixed(scale: 0.0625, zeroPoint: 3, elementType: .uint8), activation: activation),
                    operands)
            } else {
                let weights = it.constant(
                    try Tensor((0..<40).map { _ in UInt8(it.number(0...255)) }, shape: [5, 1, 8]))
                var operands: [RandomPattern.Value?] = [x, weights, try it.constant(it.factors(5), [5])]
                if it.chance(3) { operands += [nil, nil, try it.constant([5])] }
                product = try it.apply(
                    MatMulNBits(depth: 16, columns: 5, blockSize: 16, activation: activation), operands)
            }
            let shape = it.shape(product)
            let other =
                it.chance(2) ? try it.parameter(it.pick([[5], [1, 5], [], [3, 1], shape])) : try it.input(shape)
            try it.finish(try it.commuted(Add(activation: it.activation()), product, other))
        },
    ]
}

extension RandomPattern {
    /// Positive factors such as the scales of weights have.
    mutating func factors(_ count: Int) -> [Double] { (0..<count).map { _ in pick([0.5, 0.25, 0.0625, 1]) } }
}
