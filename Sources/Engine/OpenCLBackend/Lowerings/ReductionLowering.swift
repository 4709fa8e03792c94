import Graphs
import Planning

/// Sums, means, extrema and norms over axes.
struct ReductionLowering: Lowering {
    let name = "reduce"
    let device: DeviceInformation
    let speed: OpenCLSpeed

    /// The value of the macro REDUCTION, by operator.
    private static let kinds = [
        "ReduceSum": 1, "ReduceMean": 2, "ReduceMax": 3, "ReduceMin": 4, "ReduceProd": 5, "ReduceL1": 6, "ReduceL2": 7,
        "ReduceSumSquare": 8,
    ]

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let reduction = request.operation as? any Reduction,
            let kind = Self.kinds[type(of: request.operation).name]
        else { return .otherOperator }
        guard let input = request.inputs.first ?? nil else { return .decline("an operand is missing") }
        let types = [input, request.outputs[0]]
        guard types.allSatisfy({ $0.elementType == .float32 }) else { return .decline("elements are not float32") }
        guard types.allSatisfy({ StridedCopy.takes($0) }) else {
            return .decline("more than 8 axes, or no elements, or too many")
        }
        guard let axes = try? reduction.axes.resolved(request.inputs), !axes.isEmpty else {
            return .decline("no axis is reduced")
        }
        let group = ReductionGroup(device, length: axes.reduce(1) { $0 * input.shape[$1] })
        let layouts: [Layout?] = [.rowMajor] + request.inputs.dropFirst().map { _ in nil }
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: 0, byteCount: request.cost.bytes),
                inputLayouts: layouts, outputLayouts: [.rowMajor],
                makeDeviceStep: { operands in
                    let from = try operands.input(0).onDevice()
                    let to = operands.outputs[0]
                    let kept = from.shape.indices.filter { !axes.contains($0) }
                    // Reduced axes either stay with extent 1 or are removed.
                    let keptSteps = to.shape.count == from.shape.count ? kept.map { to.strides[$0] } : to.strides
                    let outputs = StridedWalk(kept.map { from.shape[$0] }, [keptSteps, kept.map { from.strides[$0] }])
                    let reduced = StridedWalk(axes.map { from.shape[$0] }, [axes.map { from.strides[$0] }])
                    var macros = group.macros
                    macros["RANK"] = "\(outputs.rank)"
                    macros["REDUCED_RANK"] = "\(reduced.rank)"
                    macros["REDUCTION"] = "\(kind)"
                    return KernelStep([
                        KernelCall(
                            .reduction, kernel: "reduce", macros: macros,
                            arguments: [
                                .operand(from), .operand(to), .int(Int32(outputs.count)), .axes(outputs.extents),
                                .axes(outputs.strides[1]), .axes(outputs.strides[0]), .int(Int32(reduced.count)),
                                .axes(reduced.extents), .axes(reduced.strides[0]),
                            ], global: group.global(outputs.count), local: group.local)
                    ])
                }))
    }
}

/// The number of work-items that share a result of `reduction.cl`.
struct ReductionGroup: Sendable {
    let outputItems: Int
    let items: Int

    /// - Parameter length: The number of elements that are reduced to one.
    init(_ device: DeviceInformation, length: Int) {
        var items = 1
        if device.kind != .processor {
            while items < 256, items * 8 <= length, items * 2 <= device.maximumWorkGroupSize { items *= 2 }
        }
        self.items = items
        outputItems = max(1, min(64, device.maximumWorkGroupSize) / items)
    }

    var macros: [String: String] { ["OUTPUT_ITEMS": "\(outputItems)", "ITEMS": "\(items)"] }
    var local: [Int] { [outputItems, items] }
    func global(_ outputs: Int) -> [Int] { [outputs.roundedUp(to: outputItems), items] }
}
