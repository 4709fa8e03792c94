import Graphs
import Planning
import Tensors

/// Copies between layouts, and transpositions that are not views.
struct CopyLowering: Lowering {
    let name = "strided-copy"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let input = request.inputs.first ?? nil else { return .decline("an operand is missing") }
        let permutation: [Int]
        let layout: Layout
        switch request.operation {
        case let reorder as Reorder: (permutation, layout) = (Array(input.shape.indices), reorder.target)
        case let transpose as Transpose:
            guard let order = try? transpose.order(rank: input.rank) else { return .decline("no such axes") }
            (permutation, layout) = (order, .rowMajor)
        default: return .otherOperator
        }
        guard input.rank <= StridedLoop.maximumRank else { return .decline("more than 8 axes") }
        guard input.elementCount > 0 else { return .decline("a value is empty") }
        return .accept(
            Candidate(
                microseconds: 1 + Double(input.byteCount) / 2_000, inputLayouts: [nil], outputLayouts: [layout],
                bfloat16Operands: .alike([0])
            ) { operands in
                var source = try operands.input(0)
                source.shape = permutation.map { source.shape[$0] }
                source.strides = permutation.map { source.strides[$0] }
                return CopyStep(pass: try ElementwisePass(source, nil, operands.outputs[0]))
            })
    }
}
