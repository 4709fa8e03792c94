import Graphs

extension ConformanceCases {
    /// Gemm and MatMul: transposed operands, scales, broadcast addends, stacks and vectors.
    package static let matrixProducts: [ConformanceCase] =
        [(false, false), (false, true), (true, false), (true, true)].flatMap { transA, transB in
            [1, 5, 16].map { rows in
                ConformanceCase(
                    "Gemm/\(rows) rows, transA \(transA), transB \(transB)", Gemm(transA: transA, transB: transB),
                    [
                        .activation(transA ? [19, rows] : [rows, 19]), .weights(transB ? [23, 19] : [19, 23]),
                        .weights([23]),
                    ])
            }
        }
        + [[], [1], [23], [1, 23], [5, 1], [5, 23]].map { addend in
            ConformanceCase(
                "Gemm/addend \(addend)", Gemm(alpha: 0.5, beta: 2),
                [.activation([5, 7]), .weights([7, 23]), .weights(addend)])
        }
        + [
            ConformanceCase("Gemm/without addend", Gemm(transB: true), [.activation([4, 9]), .weights([6, 9])]),
            ConformanceCase("Gemm/alpha", Gemm(alpha: 0.25), [.activation([4, 9]), .weights([9, 6]), .weights([6])]),
            ConformanceCase("Gemm/beta 0", Gemm(beta: 0), [.activation([4, 9]), .weights([9, 6]), .weights([6])]),
            ConformanceCase(
                "Gemm/Relu", Gemm(transB: true, activation: .relu),
                [.activation([4, 9]), .weights([6, 9]), .weights([6])]),
            ConformanceCase(
                "Gemm/fully connected", Gemm(transB: true),
                [.activation([2, 512]), .weights([100, 512]), .weights([100])]),
            ConformanceCase("Gemm/both at run time", Gemm(), [.activation([4, 9]), .activation([9, 6])]),
            ConformanceCase(
                "Gemm/both at run time, alpha", Gemm(alpha: 0.5), [.activation([20, 9]), .activation([9, 6])]),
        ]
        + [(false, false), (false, true), (true, false), (true, true)].flatMap { transA, transB in
            [(2, 600), (9, 37), (250, 70), (250, 3)].map { rows, columns in
                ConformanceCase(
                    "Gemm/\(rows) × \(columns) at run time, transA \(transA), transB \(transB)",
                    Gemm(transA: transA, transB: transB),
                    [
                        .activation(transA ? [1100, rows] : [rows, 1100]),
                        .activation(transB ? [columns, 1100] : [1100, columns]),
                    ])
            }
        }
        + stacks.map { left, right in
            ConformanceCase("MatMul/\(left) \(right)", MatMul(), [.activation(left), .activation(right)])
        }
        + [ConformanceCase("MatMul/weights", MatMul(), [.activation([3, 8, 16]), .weights([16, 11])])]
        + [nil, Activation.relu, .gelu(isApproximate: false), .swish].map { activation in
            ConformanceCase(
                "MatMul/weights, bias and addend, \(activation.map(\.description) ?? "no activation")",
                MatMul(activation: activation),
                [.activation([2, 3, 9, 70]), .weights([70, 37]), .weights([37]), .activation([2, 3, 9, 37])])
        }
        + [
            ConformanceCase(
                "MatMul/weights and bias", MatMul(activation: .gelu(isApproximate: true)),
                [.activation([5, 300]), .weights([300, 19]), .weights([19])]),
            ConformanceCase(
                "MatMul/weights and addend", MatMul(),
                [.activation([2, 4, 8]), .weights([8, 5]), nil, .activation([2, 4, 5])]),
        ]
        + attentions

    /// Einstein's summation: stacks, diagonals, sums, outer products, ellipses and several operands.
    package static let summations: [ConformanceCase] = equations.compactMap { equation, shapes in
        guard let operation = try? Einsum(equation: equation) else { return nil }
        return ConformanceCase("Einsum/\(equation)", operation, shapes.map { .activation($0) })
    }

    private static let equations: [(String, [[Int]])] = [
        ("bij,bjk->bik", [[2, 3, 4], [2, 4, 5]]), ("bhqd,bhkd->bhqk", [[2, 3, 4, 5], [2, 3, 6, 5]]),
        ("bhwc,hkc->bhwk", [[2, 3, 4, 5], [3, 6, 5]]), ("ij,jk", [[3, 4], [4, 5]]),
        ("...ij,...jk->...ik", [[2, 1, 3, 4], [5, 4, 2]]), ("b...d,de->b...e", [[2, 3, 4, 5], [5, 6]]),
        ("ii->i", [[4, 4]]), ("iij->j", [[3, 3, 4]]), ("ij->", [[3, 4]]), ("ba", [[3, 4]]), ("i,j->ij", [[3], [4]]),
        ("abc,cd,de->abe", [[2, 3, 4], [4, 5], [5, 2]]), ("ab,ab->ba", [[3, 4], [1, 4]]),
    ]

    private static let stacks: [([Int], [Int])] = [
        ([3, 4], [4, 5]), ([1, 17], [17, 33]), ([7], [7]), ([7], [7, 3]), ([3, 7], [7]), ([2, 3, 4], [2, 4, 5]),
        ([2, 3, 4], [4, 5]), ([3, 4], [2, 4, 5]), ([2, 1, 3, 4], [5, 4, 2]), ([2, 3, 4], [4]), ([4], [2, 4, 3]),
        ([2, 6, 70], [2, 70, 530]), ([2, 70, 130], [2, 130, 2]), ([1, 300, 64], [1, 64, 100]),
        ([3, 1, 4100], [3, 4100, 1]),
    ]

    private static let attentions: [ConformanceCase] = {
        typealias View = ScaledDotProductAttention.HeadView
        func packed(_ part: Int, rows: Int, heads: Int, size: Int) -> View {
            View(
                offset: part * heads * size, batchStride: rows * 3 * heads * size, headStride: size,
                rowStride: 3 * heads * size, rowCount: rows, size: size)
        }
        func split(rows: Int, heads: Int, size: Int) -> View {
            View(
                batchStride: heads * rows * size, headStride: rows * size, rowStride: size, rowCount: rows, size: size)
        }
        let together = (0..<3).map { packed($0, rows: 150, heads: 3, size: 20) }
        let packedCases = [false, true].map { putsRowsFirst in
            ConformanceCase(
                "Attention/packed, rows first \(putsRowsFirst)",
                ScaledDotProductAttention(
                    headCount: 3, scale: 0.2, query: together[0], key: together[1], value: together[2],
                    putsRowsFirst: putsRowsFirst),
                [Int](repeating: 0, count: 3).map { _ in .activation([2, 150, 180]) })
        }
        let (query, key) = (split(rows: 5, heads: 4, size: 7), split(rows: 33, heads: 4, size: 7))
        let value = split(rows: 33, heads: 4, size: 9)
        let operands: [ConformanceCase.Input?] = [
            .activation([4, 4, 5, 7]), .activation([4, 4, 33, 7]), .activation([4, 4, 33, 9]),
        ]
        let biases: [[Int]] = [[33], [5, 33], [4, 5, 33], [1, 4, 5, 33], [2, 1, 5, 33], [4, 1, 1]]
        let biasCases = biases.map { shape in
            ConformanceCase(
                "Attention/bias \(shape)",
                ScaledDotProductAttention(headCount: 4, scale: 3, query: query, key: key, value: value),
                operands + [.activation(shape, .float32, .uniform(-3, 3))])
        }
        let rows = View(headStride: 8, rowStride: 32, rowCount: 10, size: 8)
        // Keys that some queries must not see: none of the first 40, or none after their own place.
        let masks: [(String, (Int, Int) -> Bool)] = [("first keys", { $1 >= 40 }), ("later keys", { $1 <= $0 })]
        let masked = masks.map { name, isSeen in
            let numbers = (0..<70).flatMap { row in (0..<70).map { isSeen(row, $0) ? 0.25 : -Double.infinity } }
            return ConformanceCase(
                "Attention/without \(name)",
                ScaledDotProductAttention(
                    headCount: 2, scale: 0.5, query: split(rows: 70, heads: 2, size: 12),
                    key: split(rows: 70, heads: 2, size: 12), value: split(rows: 70, heads: 2, size: 12)),
                [Int](repeating: 0, count: 3).map { _ in .activation([3, 2, 70, 12]) } + [
                    .activation([70, 70], .float32, .values(numbers))
                ])
        }
        let long = [(600, 64, 64), (45, 128, 96)].map { keys, size, valueSize in
            ConformanceCase(
                "Attention/\(keys) keys of \(size)",
                ScaledDotProductAttention(
                    headCount: 2, scale: 0.4, query: split(rows: 100, heads: 2, size: size),
                    key: split(rows: keys, heads: 2, size: size), value: split(rows: keys, heads: 2, size: valueSize)),
                [
                    .activation([1, 2, 100, size]), .activation([1, 2, keys, size]),
                    .activation([1, 2, keys, valueSize]),
                ])
        }
        return packedCases + biasCases + masked + long + [
            ConformanceCase(
                "Attention/one image, sequence first",
                ScaledDotProductAttention(
                    headCount: 4, scale: 0.5, query: rows, key: rows, value: rows, isBatched: false, putsRowsFirst: true
                ), [.activation([10, 1, 32]), .activation([10, 1, 32]), .activation([10, 1, 32])])
        ]
    }()
}
