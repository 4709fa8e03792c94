import CPUKernels
import Graphs
import Planning
import Tensors

/// DequantizeLinear of a dense value of 8-bit integers with one scale of the network, or their Cast to float32.
struct DequantizationLowering: Lowering {
    let name = "integer-dequantize"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            return .decline("an operand is missing")
        }
        var (scale, zeroPoint): (Float, Int32) = (1, 0)
        switch request.operation {
        case is DequantizeLinear:
            guard let scales = request.constants[1], scales.elementCount == 1 else {
                return .decline("each slice has its own scale")
            }
            scale = scales.elements(as: Float.self).first ?? 0
            if request.inputs.count > 2, request.inputs[2] != nil {
                guard let point = request.constants[2] else { return .decline("the zero point is computed") }
                zeroPoint = point.elements(as: Int32.self).first ?? 0
            }
        case is Cast: break
        default: return .otherOperator
        }
        guard [.int8, .uint8].contains(input.elementType), output.elementType == .float32 else {
            return .decline("elements are \(input.elementType) and \(output.elementType)")
        }
        guard input.elementCount > 0 else { return .decline("a value is empty") }
        let layout = request.inputLayouts[0] ?? .rowMajor
        let pieces = ElementPieces(input.elementCount, threadCount: request.threadCount)
        return .accept(
            Candidate(
                microseconds: ElementPieces.expectedMicroseconds(
                    input.elementCount, threadCount: request.threadCount),
                inputLayouts: [layout], outputLayouts: [layout], readsSlices: false, writesSlices: false,
                elementwise: JoinedFunctions(
                    .dequantize(scale: scale, zeroPoint: zeroPoint, isSigned: input.elementType == .int8), request)
            ) { [scale, zeroPoint] operands in
                DequantizationStep(
                    scale: scale, zeroPoint: zeroPoint, input: try operands.input(0), output: operands.outputs[0],
                    pieces: pieces)
            })
    }
}

private struct DequantizationStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<UInt8>
        let output: UnsafeMutablePointer<Float>
        let isSigned: Int32
        let scale: Float
        let zeroPoint: Int32
        let pieces: ElementPieces
    }

    let scale: Float
    let zeroPoint: Int32
    let input: Operand
    let output: Operand
    let pieces: ElementPieces

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.bytes(input), output: context.mutableFloats(output),
            isSigned: input.elementType == .int8 ? 1 : 0, scale: scale, zeroPoint: zeroPoint, pieces: pieces)
        context.workers.run(pieces.pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (first, count) = it.pieces.piece(index)
            guard count > 0 else { return }
            apus_dequantize(it.input + first, it.isSigned, it.scale, it.zeroPoint, count, it.output + first)
        }
    }
}
