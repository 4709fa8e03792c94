import CPUKernels
import Graphs
import Planning

/// Max and average pooling of 8-bit integers; every output row is a piece of work.
struct IntegerPoolLowering: Lowering {
    let name = "integer-pool-rows"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let pool = request.operation as? any Pooling else { return .otherOperator }
        guard let input = request.inputs.first ?? nil,
            let range = input.elementType.quantizedRange, input.elementType.byteCount == 1
        else { return .decline("not a pool of 8-bit integers") }
        guard request.outputs.count == 1 else { return .decline("indices are wanted") }
        guard input.rank == 4, input.elementCount > 0, let geometry = try? pool.geometry(x: input.shape) else {
            return .decline("the input is not [N, C, H, W]")
        }
        let limits: ClosedRange<Int32>
        switch request.operation {
        case is MaxPool: limits = range
        case let average as IntegerAveragePool: limits = average.range
        default: return .decline("not MaxPool or IntegerAveragePool")
        }
        let isMean = request.operation is IntegerAveragePool
        let taps = (geometry.kernel + request.outputs[0].shape).saturatingProduct
        return .accept(
            Candidate(
                microseconds: 1 + Double(taps) / 8_000 / Double(request.threadCount),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast]
            ) { operands in
                IntegerPoolStep(
                    geometry: geometry, isMean: isMean, range: limits, input: try operands.input(0),
                    output: operands.outputs[0])
            })
    }
}

private struct IntegerPoolStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<UInt8>
        let output: UnsafeMutablePointer<UInt8>
        let from: ImageView
        let to: ImageView
        var window: apus_window
        let isSigned: Int32
        let isMean: Int32
        let low: Int32
        let high: Int32
    }

    let geometry: SpatialWindow.Geometry
    let isMean: Bool
    let range: ClosedRange<Int32>
    let input: Operand
    let output: Operand

    func run(_ context: StepContext) {
        let from = ImageView(input)
        let arguments = Arguments(
            input: context.bytes(input), output: context.mutableBytes(output), from: from, to: ImageView(output),
            window: apus_window(geometry, over: from), isSigned: input.elementType == .int8 ? 1 : 0,
            isMean: isMean ? 1 : 0, low: range.lowerBound, high: range.upperBound)
        context.workers.run(arguments.to.count * arguments.to.height, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let (image, row) = index.quotientAndRemainder(dividingBy: it.to.height)
            apus_integer_pool_row(
                it.input + image * it.from.imageStride, &it.window, it.to.channels, it.isSigned, it.isMean, it.low,
                it.high, row, it.output + image * it.to.imageStride + row * it.to.rowStride, it.to.pixelStride)
        }
    }
}
