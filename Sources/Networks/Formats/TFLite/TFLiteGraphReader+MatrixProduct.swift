import Graphs

extension TFLiteGraphReader {
    mutating func addMatrixProduct(_ node: TFLiteNode) throws(FormatError) {
        if elementType(try node.input(0)) == elementType(try node.input(1)), quantization(try node.input(1)) != nil,
            let requantization = try requantization(node, .none, outputChannelAxis: 0)
        {
            let operation = IntegerMatMul(
                aZeroPoint: zeroPoint(try node.input(0)), bZeroPoint: zeroPoint(try node.input(1)),
                requantization: requantization)
            define(try node.output(), try apply(operation, try matrices(node), node))
            return
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            (try reader.apply(MatMul(), try reader.matrices(node), node), false)
        }
    }

    /// The operands of a product, transposed according to the options.
    private mutating func matrices(_ node: TFLiteNode) throws(FormatError) -> [Graph.ValueID?] {
        var operands: [Graph.ValueID?] = []
        for position in 0..<2 {
            let value = try plain(try node.input(position))
            let rank = rank(value)
            guard try node.bool(position) else {
                operands.append(value)
                continue
            }
            guard rank >= 2 else { throw node.invalid("operand \(position) has fewer than two axes") }
            let order = Array(0..<rank - 2) + [rank - 1, rank - 2]
            operands.append(try apply(Transpose(permutation: order), [value], "\(node.name)/adjoint")[0])
        }
        return operands
    }
}
