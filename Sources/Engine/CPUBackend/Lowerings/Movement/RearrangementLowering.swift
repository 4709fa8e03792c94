import Graphs
import Planning

/// Slice, Gather of constant positions, Expand, Tile, DepthToSpace and SpaceToDepth, as copies of parts.
struct RearrangementLowering: Lowering {
    let name = "rearrangement"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        do throws(LoweringRefusal) {
            let rearrangement = try Rearrangement(request, maximumRank: StridedLoop.maximumRank - 1)
            // The pixels of a block lie apart.
            let bytesPerMicrosecond: Double =
                request.operation is DepthToSpace || request.operation is SpaceToDepth ? 2_000 : 5_000
            return .accept(
                Candidate(
                    microseconds: 1 + Double(request.outputs[0].byteCount) / bytesPerMicrosecond,
                    inputLayouts: rearrangement.inputLayouts(request), outputLayouts: [rearrangement.layout],
                    writesSlices: rearrangement.writesSlices, bfloat16Operands: .alike([0])
                ) { operands in
                    let copies = rearrangement.copies(try operands.input(0), operands.outputs[0])
                    return CopiesStep(
                        copies: try copies.map { CopyStep(pass: try ElementwisePass($0.from, nil, $0.to)) })
                })
        } catch {
            return error.answer
        }
    }
}
