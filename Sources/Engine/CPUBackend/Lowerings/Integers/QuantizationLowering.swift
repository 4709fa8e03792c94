import CPUKernels
import Graphs
import Planning
import Tensors

/// QuantizeLinear or AffineQuantize of a dense float32 value to 8-bit integers.
///
/// Images of few planes that a convolution of integers reads are written channels-last.
struct QuantizationLowering: Lowering {
    let name = "integer-quantize"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard request.operation is AffineQuantize || request.operation is QuantizeLinear else {
            return .otherOperator
        }
        guard let quantization = QuantizationToBytes(request) else {
            return .decline("not a quantization to 8 bits with one constant scale")
        }
        let (input, operation) = (quantization.input, quantization.operation)
        let layout = request.inputLayouts[0] ?? .rowMajor
        let hasPlanes =
            request.isReadByIntegerConvolution && input.rank == 4 && layout == .rowMajor && input.shape[1] > 1
            && input.shape[1] <= Int(APUS_MAXIMUM_PLANES)
        let pieces = ElementPieces(input.elementCount, threadCount: request.threadCount)
        return .accept(
            Candidate(
                microseconds: ElementPieces.expectedMicroseconds(
                    input.elementCount, threadCount: request.threadCount),
                inputLayouts: [layout], outputLayouts: [hasPlanes ? .channelsLast : layout],
                readsSlices: false, writesSlices: false,
                elementwise: hasPlanes
                    ? nil : JoinedFunctions(.quantize(operation, roundsToEven: quantization.roundsToEven), request)
            ) { operands in
                if hasPlanes {
                    return PlaneQuantizingStep(
                        operation: operation, roundsToEven: quantization.roundsToEven,
                        input: try operands.input(0), output: operands.outputs[0])
                }
                return QuantizationStep(
                    operation: operation, roundsToEven: quantization.roundsToEven, input: try operands.input(0),
                    output: operands.outputs[0], pieces: pieces)
            })
    }
}

private struct QuantizationStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<UInt8>
        let scale: Float
        let zeroPoint: Int32
        let low: Int32
        let high: Int32
        let roundsToEven: Int32
        let pieces: ElementPieces
    }

    let operation: AffineQuantize
    let roundsToEven: Bool
    let input: Operand
    let output: Operand
    let pieces: ElementPieces

    func run(_ context: StepContext) {
        let range = output.elementType.quantizedRange ?? 0...0
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableBytes(output), scale: operation.scale,
            zeroPoint: operation.zeroPoint, low: range.lowerBound, high: range.upperBound,
            roundsToEven: roundsToEven ? 1 : 0, pieces: pieces)
        context.workers.run(pieces.pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (first, count) = it.pieces.piece(index)
            guard count > 0 else { return }
            apus_quantize(
                it.input + first, it.scale, it.zeroPoint, it.low, it.high, it.roundsToEven, count, it.output + first)
        }
    }
}
