import Graphs
import Planning

/// Softmax and its logarithm along one axis.
struct SoftmaxLowering: Lowering {
    let name = "softmax"
    let device: DeviceInformation
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let isLogarithm = request.operation is LogSoftmax
        guard isLogarithm || request.operation is Softmax, let softmax = request.operation as? any AxisNormalization
        else { return .otherOperator }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        let shape = request.outputs[0].shape
        guard StridedCopy.takes(request.outputs[0]) else { return .decline("more than 8 axes, or too many elements") }
        guard let first = try? softmax.resolvedAxis(rank: shape.count), first < shape.count else {
            return .decline("no such axis")
        }
        // Axes that are normalised together count as one where they are adjacent in memory.
        let axes = softmax.flattensTrailingAxes ? Array(first..<shape.count) : [first]
        let layout = axes.count > 1 ? .rowMajor : request.prevailingLayout
        let group = ReductionGroup(device, length: axes.reduce(1) { $0 * shape[$1] })
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: 0, byteCount: 2 * request.cost.bytes),
                inputLayouts: [layout], outputLayouts: [layout], readsSlices: axes.count == 1,
                writesSlices: axes.count == 1,
                makeDeviceStep: { operands in
                    KernelStep([
                        Self.call(
                            group, isLogarithm: isLogarithm, along: axes, from: try operands.input(0).onDevice(),
                            to: operands.outputs[0])
                    ])
                }))
    }

    /// Applies Softmax along adjacent axes, in place where input and output are the same.
    static func call(
        _ group: ReductionGroup, isLogarithm: Bool = false, along axes: [Int], from: Operand, to: Operand
    ) -> KernelCall {
        let kept = to.shape.indices.filter { !axes.contains($0) }
        let outputs = StridedWalk(
            kept.map { to.shape[$0] }, [to, from].map { value in kept.map { value.strides[$0] } })
        let last = axes.last { to.shape[$0] > 1 } ?? axes[0]
        var macros = group.macros
        macros["RANK"] = "\(outputs.rank)"
        macros["SOFTMAX"] = "1"
        if isLogarithm { macros["LOGARITHM"] = "1" }
        return KernelCall(
            .reduction, kernel: "softmax", macros: macros,
            arguments: [
                .operand(from), .operand(to), .int(Int32(outputs.count)), .axes(outputs.extents),
                .axes(outputs.strides[1]), .axes(outputs.strides[0]), .int(Int32(axes.reduce(1) { $0 * to.shape[$1] })),
                .int(Int32(from.strides[last])), .int(Int32(to.strides[last])),
            ], global: group.global(outputs.count), local: group.local)
    }
}
