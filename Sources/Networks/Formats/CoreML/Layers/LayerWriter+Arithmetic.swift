import Graphs
import Tensors

extension LayerWriter {
    /// 2ˣ
    mutating func exp2(_ x: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        try apply(Pow(), [try constant(2), x])
    }

    /// max(x, threshold)
    mutating func maximum(_ x: Graph.ValueID, _ threshold: Float) throws(FormatError) -> Graph.ValueID {
        try apply(Max(), [x, try constant(threshold)])
    }

    /// x + epsilon
    mutating func shifted(_ x: Graph.ValueID, by epsilon: Float) throws(FormatError) -> Graph.ValueID {
        epsilon == 0 ? x : try apply(Add(), [x, try constant(epsilon)])
    }

    /// 1 / √x
    mutating func reciprocalRoot(_ x: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        try apply(Reciprocal(), [try apply(Sqrt(), [x])])
    }

    /// ⌊a / b⌋ of floating-point numbers.
    mutating func floorQuotient(_ operands: [Graph.ValueID]) throws(FormatError) -> Graph.ValueID {
        try apply(Floor(), [try apply(Div(), operands)])
    }

    /// ⌊a / b⌋ of integers: (a − a mod b) / b.
    mutating func integerFloorQuotient(_ operands: [Graph.ValueID]) throws(FormatError) -> Graph.ValueID {
        let whole = try apply(Sub(), [operands[0], try apply(Mod(), operands)])
        return try apply(Div(), [whole, operands[1]])
    }

    /// Converts elements to another type.
    mutating func cast(_ x: Graph.ValueID, to type: ElementType) throws(FormatError) -> Graph.ValueID {
        try apply(Cast(to: type), [x])
    }

    // MARK: Matrices

    /// x · Wᵀ + b with x [N, K], W [M, K], b [M].
    mutating func rowProduct(
        _ x: Graph.ValueID, weights: Graph.ValueID, bias: Graph.ValueID?
    ) throws(FormatError) -> Graph.ValueID {
        try apply(Gemm(transB: true), [x, weights] + (bias.map { [$0] } ?? []))
    }

    /// x · Wᵀ + b with x [..., K], W [M, K], b [M].
    mutating func product(
        _ x: Graph.ValueID, weights: Graph.ValueID, bias: Graph.ValueID?
    ) throws(FormatError) -> Graph.ValueID {
        let matrix = try apply(Transpose(permutation: [1, 0]), [weights])
        let result = try apply(MatMul(), [x, matrix])
        guard let bias else { return result }
        return try apply(Add(), [result, bias])
    }

    /// x with its last two axes exchanged.
    mutating func transposingLastAxes(_ x: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        var order = Array(try shape(of: x).indices)
        guard order.count >= 2 else { return x }
        order.swapAt(order.count - 1, order.count - 2)
        return try apply(Transpose(permutation: order), [x])
    }
}
