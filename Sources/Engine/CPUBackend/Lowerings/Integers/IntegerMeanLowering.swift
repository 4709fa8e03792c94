import CPUKernels
import Graphs
import Planning
import Tensors

/// The mean of every channel of an image of 8-bit integers.
struct IntegerMeanLowering: Lowering {
    let name = "integer-mean"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let operation = request.operation as? IntegerMean else { return .otherOperator }
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            return .decline("an operand is missing")
        }
        guard input.rank == 4, (try? operation.axes.resolved([input])) == [2, 3] else {
            return .decline("not the mean of images")
        }
        guard input.elementType.byteCount == 1, output.elementType.byteCount == 1, input.elementCount > 0 else {
            return .decline("elements are \(input.elementType) and \(output.elementType)")
        }
        // Sums of up to 2²² bytes fit in 32 bits.
        guard input.shape[2] * input.shape[3] <= 1 << 22 else { return .decline("images of more than 2²² pixels") }
        guard let requantization = try? operation.requantization(for: input) else { return .decline("no factor") }
        guard !requantization.hasWideSums, !requantization.roundsOnce else {
            return .decline("no 32-bit fixed point represents the factor")
        }
        return .accept(
            Candidate(
                microseconds: 1 + Double(input.elementCount) / 16_000 / Double(request.threadCount),
                inputLayouts: [.channelsLast], outputLayouts: [output.rank == 4 ? .channelsLast : .rowMajor],
                writesSlices: false
            ) { operands in
                IntegerMeanStep(
                    zeroPoint: operation.inputZeroPoint, factor: .init(requantization.factors),
                    requantization: requantization,
                    input: try operands.input(0), output: operands.outputs[0])
            })
    }
}

private struct IntegerMeanStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<UInt8>
        let output: UnsafeMutablePointer<UInt8>
        let from: ImageView
        let isSigned: Int32
        let zeroPoint: Int32
        let factor: IntegerMeanStep.Factor
        let outputZeroPoint: Int32
        let low: Int32
        let high: Int32
    }

    /// The factor of a sum.
    enum Factor: BitwiseCopyable, Sendable {
        case float(Float)
        case fixedPoint(value: Int32, shift: Int32)

        init(_ factors: Requantization.Factors) {
            switch factors {
            case .float(let scales): self = .float(scales[0])
            case .fixedPoint(let multipliers):
                self = .fixedPoint(value: multipliers[0].value, shift: multipliers[0].shift)
            }
        }

        /// Calls `body` with the factor as kernels read it.
        func withRequantization(
            zeroPoint: Int32, low: Int32, high: Int32, _ body: (inout apus_requantization) -> Void
        ) {
            var result = apus_requantization(
                scales: nil, has_small_scales: 0, multipliers: nil, shifts: nil, zero_point: zeroPoint, low: low,
                high: high, rounds_once: 0)
            switch self {
            case .float(let scale):
                withUnsafePointer(to: scale) { scale in
                    result.scales = scale
                    body(&result)
                }
            case .fixedPoint(let value, let shift):
                withUnsafePointer(to: value) { value in
                    withUnsafePointer(to: shift) { shift in
                        result.multipliers = value
                        result.shifts = shift
                        body(&result)
                    }
                }
            }
        }
    }

    let zeroPoint: Int32
    let factor: Factor
    let requantization: Requantization
    let input: Operand
    let output: Operand

    /// The number of channels that one piece of work sums.
    private static let block = 256

    func run(_ context: StepContext) {
        let from = ImageView(input)
        let arguments = Arguments(
            input: context.bytes(input), output: context.mutableBytes(output), from: from,
            isSigned: input.elementType == .int8 ? 1 : 0, zeroPoint: zeroPoint, factor: factor,
            outputZeroPoint: requantization.zeroPoint, low: requantization.range.lowerBound,
            high: requantization.range.upperBound)
        let blocks = (from.channels + Self.block - 1) / Self.block
        context.workers.run(from.count * blocks, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let blocks = (it.from.channels + IntegerMeanStep.block - 1) / IntegerMeanStep.block
            let (image, block) = index.quotientAndRemainder(dividingBy: blocks)
            let channel = block * IntegerMeanStep.block
            it.factor.withRequantization(zeroPoint: it.outputZeroPoint, low: it.low, high: it.high) { requantization in
                apus_integer_mean(
                    it.input + image * it.from.imageStride + channel, it.from.height, it.from.width,
                    it.from.rowStride, it.from.pixelStride, min(IntegerMeanStep.block, it.from.channels - channel),
                    it.isSigned, it.zeroPoint, &requantization, it.output + image * it.from.channels + channel)
            }
        }
    }
}
