import Graphs
import Planning

/// Slice, Gather of constant positions, Expand, Tile, DepthToSpace and SpaceToDepth, as copies of parts.
struct RearrangementLowering: Lowering {
    let name = "rearrangement"
    let device: DeviceInformation
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        do throws(LoweringRefusal) {
            let rearrangement = try Rearrangement(request, maximumRank: StridedWalk.maximumRank)
            let output = request.outputs[0]
            guard StridedCopy.takes(output) else { return .decline("more than 8 axes, or too many elements") }
            return .accept(
                Candidate(
                    microseconds: speed.microseconds(multiplyAdds: 0, byteCount: 2 * output.byteCount),
                    inputLayouts: rearrangement.inputLayouts(request), outputLayouts: [rearrangement.layout],
                    writesSlices: rearrangement.writesSlices,
                    makeDeviceStep: { operands in
                        let input = try operands.input(0).onDevice()
                        return KernelStep(
                            rearrangement.copies(input, operands.outputs[0]).map { from, to in
                                var source = from
                                source.strides = StridedWalk.strides(of: from, over: to.shape)
                                source.shape = to.shape
                                return StridedCopy.call(from: source, to: to, device)
                            })
                    }))
        } catch {
            return error.answer
        }
    }
}
