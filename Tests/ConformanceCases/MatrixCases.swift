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
        ]
        + stacks.map { left, right in
            ConformanceCase("MatMul/\(left) \(right)", MatMul(), [.activation(left), .activation(right)])
        }
        + [ConformanceCase("MatMul/weights", MatMul(), [.activation([3, 8, 16]), .weights([16, 11])])]

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
    ]
}
