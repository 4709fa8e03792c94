import Graphs
import Planning

/// ArgMax, ArgMin and TopK of float32, so that positions come back instead of all scores.
struct SearchLowering: Lowering {
    let name = "search"
    let device: DeviceInformation
    let speed: OpenCLSpeed

    /// The maximum elements that one search reads: each of its results takes a pass over the axis.
    private static let maximumReads = 1 << 22

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let search: Search
        switch request.operation {
        case let extremum as any ExtremumSearch:
            search = Search(
                axis: extremum.search.axis, isLargest: extremum is ArgMax, takesLast: extremum.search.selectsLast,
                keepsAxis: extremum.search.keepsAxis)
        case let top as TopK:
            search = Search(axis: top.axis, isLargest: top.isLargest, hasValues: true)
        default: return .otherOperator
        }
        guard let input = request.inputs.first ?? nil, input.elementType == .float32 else {
            return .decline("elements are not float32")
        }
        guard request.outputs.count == (search.hasValues ? 2 : 1) else { return .decline("an output is missing") }
        guard ([input] + request.outputs).allSatisfy({ StridedCopy.takes($0) }) else {
            return .decline("more than 8 axes, or no elements, or too many")
        }
        guard let axis = try? Axes.resolve(search.axis, rank: input.rank) else { return .decline("no such axis") }
        let count = input.shape[axis]
        let resultCount = search.hasValues ? request.outputs[0].shape[axis] : 1
        guard [count, resultCount].saturatingProduct <= Self.maximumReads else {
            return .decline("\(resultCount) results of \(count) elements")
        }
        let group = ReductionGroup(device, length: count)
        return .accept(
            Candidate(
                microseconds: speed.microseconds(
                    multiplyAdds: 0, byteCount: resultCount * 4 * input.elementCount + request.cost.bytes),
                inputLayouts: [.rowMajor] + request.inputs.dropFirst().map { _ in nil },
                outputLayouts: request.outputs.map { _ in .rowMajor }, readsSlices: false, writesSlices: false,
                makeDeviceStep: { operands in
                    KernelStep([
                        search.call(
                            group, axis: axis, resultCount: resultCount, try operands.input(0).onDevice(),
                            operands.outputs)
                    ])
                }))
    }
}

/// A search along an axis.
private struct Search: Sendable {
    let axis: Int
    let isLargest: Bool
    var takesLast = false
    var keepsAxis = true
    /// Whether the elements are wanted beside their positions.
    var hasValues = false

    func call(
        _ group: ReductionGroup, axis: Int, resultCount: Int, _ input: Operand, _ outputs: [Operand]
    ) -> KernelCall {
        let positions = outputs[outputs.count - 1]
        let kept = input.shape.indices.filter { $0 != axis }
        let keptSteps = keepsAxis ? kept.map { positions.strides[$0] } : positions.strides
        let searches = StridedWalk(kept.map { input.shape[$0] }, [keptSteps, kept.map { input.strides[$0] }])
        var macros = group.macros
        macros["RANK"] = "\(searches.rank)"
        macros["LARGEST"] = isLargest ? "1" : "0"
        macros["TAKES_LAST"] = takesLast ? "1" : "0"
        if hasValues { macros["VALUES"] = "1" }
        return KernelCall(
            .search, kernel: "search", macros: macros,
            arguments: [
                .operand(input), .operand(positions), hasValues ? .operand(outputs[0]) : .absent,
                .int(Int32(searches.count)), .axes(searches.extents), .axes(searches.strides[1]),
                .axes(searches.strides[0]), .int(Int32(input.shape[axis])), .int(Int32(input.strides[axis])),
                .int(Int32(resultCount)), .int(Int32(keepsAxis ? positions.strides[axis] : 0)),
            ], global: group.global(searches.count), local: group.local)
    }
}
