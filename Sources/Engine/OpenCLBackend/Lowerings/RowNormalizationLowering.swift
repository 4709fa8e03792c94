import Graphs
import Planning
import Tensors

/// LayerNormalization and RMSNormalization over trailing axes.
struct RowNormalizationLowering: Lowering {
    let name = "row-normalization"
    let device: DeviceInformation
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let rows: RowNormalization
        do { rows = try request.specialized() } catch { return error.answer }
        let count = request.outputs[0].elementCount
        guard count <= Int(Int32.max) else { return .decline("extents exceed integers of 32 bits") }
        let group = ReductionGroup(device, length: rows.length)
        var macros = group.macros
        macros["NORMALIZATION"] = "1"
        if rows.subtractsMean { macros["CENTRED"] = "1" }
        macros["RANK"] = "1"
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: 0, byteCount: 2 * request.cost.bytes),
                inputLayouts: [.rowMajor], outputLayouts: [.rowMajor], readsSlices: false, writesSlices: false,
                makeDeviceStep: { [macros] operands in
                    let zeros = [Float](repeating: 0, count: rows.length)
                    let bias = try rows.makeBias() ?? Tensor(zeros, shape: [rows.length])
                    return KernelStep([
                        KernelCall(
                            .reduction, kernel: "normalize_rows", macros: macros,
                            arguments: [
                                .operand(try operands.input(0).onDevice()),
                                .constant(try rows.makeScale(), packing: "row") { $0 },
                                .constant(bias, packing: "row") { $0 }, .operand(operands.outputs[0]),
                                .int(Int32(count / rows.length)), .int(Int32(rows.length)), .float(rows.epsilon),
                            ], global: group.global(count / rows.length), local: group.local)
                    ])
                }))
    }
}
