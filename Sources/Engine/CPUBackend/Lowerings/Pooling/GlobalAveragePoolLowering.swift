import CPUKernels
import Graphs
import Planning

/// The mean of every channel of an image.
struct GlobalAveragePoolLowering: Lowering {
    let name = "global-average-pool"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard request.operation is GlobalAveragePool else { return .otherOperator }
        if let refusal = request.refusalOfImages { return .decline(refusal) }
        let cost = Speed.microseconds(request.cost, multiplyAddsPerMicrosecond: 1, threads: 1)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                bfloat16Operands: .init(read: [0], isWritten: false)
            ) { operands in
                GlobalAveragePoolStep(
                    input: try operands.input(0), output: operands.outputs[0],
                    from: ImageView(try operands.input(0)), to: ImageView(operands.outputs[0]))
            })
    }
}

private struct GlobalAveragePoolStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafeRawPointer
        let elementByteCount: Int
        let isBFloat16: Int32
        let output: UnsafeMutablePointer<Float>
        let from: ImageView
        let to: ImageView
        /// The number of channels that one piece of work sums.
        let block: Int
    }

    let input: Operand
    let output: Operand
    let from: ImageView
    let to: ImageView

    /// The maximum channels that one piece of work sums, and the channels that fill a cache line.
    private static let (maximumChannels, lineChannels) = (128, 16)

    func run(_ context: StepContext) {
        let share = (from.channels + context.workers.count - 1) / context.workers.count
        let lines = (share + Self.lineChannels - 1) / Self.lineChannels
        let arguments = Arguments(
            input: context.memory.address(input), elementByteCount: input.elementType.byteCount,
            isBFloat16: input.bfloat16Flag, output: context.mutableFloats(output), from: from, to: to,
            block: min(Self.maximumChannels, lines * Self.lineChannels))
        let blocks = (from.channels + arguments.block - 1) / arguments.block
        context.workers.run(from.count * blocks, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let blocks = (it.from.channels + it.block - 1) / it.block
            let (image, block) = index.quotientAndRemainder(dividingBy: blocks)
            let channel = block * it.block
            apus_global_average_pool(
                it.input + (image * it.from.imageStride + channel) * it.elementByteCount, it.from.height,
                it.from.width, it.from.rowStride, it.from.pixelStride, min(it.block, it.from.channels - channel),
                it.output + image * it.to.imageStride + channel, it.isBFloat16)
        }
    }
}
