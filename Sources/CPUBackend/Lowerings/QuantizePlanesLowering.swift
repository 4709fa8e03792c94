import CPUKernels
import Graphs
import Planning
import Tensors

/// Images of planes of numbers as channels-last images of 8-bit integers.
struct QuantizePlanesLowering: Lowering {
    let name = "quantize-planes"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        guard let quantization = QuantizationToBytes(request) else {
            return .decline("no quantization with one scale of the network")
        }
        let input = quantization.input
        guard input.rank == 4, request.inputLayouts[0] == .rowMajor else { return .decline("not an image of planes") }
        guard input.shape[1] <= 4 else { return .decline("more than 4 planes") }
        return .accept(
            Candidate(
                microseconds: 1 + Double(input.elementCount) / 3_000 / Double(request.threadCount),
                inputLayouts: [.rowMajor], outputLayouts: [.channelsLast], readsSlices: false, writesSlices: false
            ) { operands in
                QuantizePlanesStep(
                    quantization: quantization.operation, roundsToEven: quantization.roundsToEven,
                    input: try operands.input(0), output: operands.outputs[0])
            })
    }
}

/// QuantizeLinear or AffineQuantize to 8 bits, with one scale and zero point that are part of the network.
struct QuantizationToBytes {
    let operation: AffineQuantize
    let roundsToEven: Bool
    let input: TensorType

    init?(_ request: LoweringRequest) {
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first,
            input.elementType == .float32, output.elementType.byteCount == 1,
            output.elementType.quantizedRange != nil, input.elementCount > 0
        else { return nil }
        self.input = input
        switch request.operation {
        case let quantize as AffineQuantize: (operation, roundsToEven) = (quantize, false)
        case let linear as QuantizeLinear:
            guard linear.saturates, let scale = request.constants[1], scale.elementCount == 1,
                request.inputs.count < 3 || request.constants[2] != nil
            else { return nil }
            let zeroPoint = request.inputs.count < 3 ? 0 : request.constants[2]?.elements(as: Int32.self).first ?? 0
            operation = AffineQuantize(
                scale: scale.elements(as: Float.self).first ?? 0, zeroPoint: zeroPoint,
                elementType: output.elementType)
            roundsToEven = true
        default: return nil
        }
    }
}

private struct QuantizePlanesStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<UInt8>
        let channelCount: Int
        let pixelCount: Int
        let pieceCount: Int
        let scale: Float
        let zeroPoint: Int32
        let low: Int32
        let high: Int32
        let roundsToEven: Int32
    }

    let quantization: AffineQuantize
    let roundsToEven: Bool
    let input: Operand
    let output: Operand

    private static let pixelsPerPiece = 4096

    func run(_ context: StepContext) {
        let (channels, pixels) = (input.shape[1], input.shape[2] * input.shape[3])
        let range = output.elementType.quantizedRange ?? 0...0
        let pieces = (pixels + Self.pixelsPerPiece - 1) / Self.pixelsPerPiece
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableBytes(output), channelCount: channels,
            pixelCount: pixels, pieceCount: pieces, scale: quantization.scale, zeroPoint: quantization.zeroPoint,
            low: range.lowerBound, high: range.upperBound, roundsToEven: roundsToEven ? 1 : 0)
        context.workers.run(input.shape[0] * pieces, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (image, piece) = index.quotientAndRemainder(dividingBy: it.pieceCount)
            let offset = image * it.channelCount * it.pixelCount
            apus_quantize_planes(
                it.input + offset, it.pixelCount, it.channelCount, it.scale, it.zeroPoint, it.low, it.high,
                it.roundsToEven, it.pixelCount * piece / it.pieceCount, it.pixelCount * (piece + 1) / it.pieceCount,
                it.output + offset)
        }
    }
}
