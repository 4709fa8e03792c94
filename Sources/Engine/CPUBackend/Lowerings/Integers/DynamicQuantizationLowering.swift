import CPUKernels
import Graphs
import Planning
import Tensors

/// DynamicQuantizeLinear: finds the range of a value, then quantizes it.
struct DynamicQuantizationLowering: Lowering {
    let name = "dynamic-quantization"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard request.operation is DynamicQuantizeLinear else { return .otherOperator }
        guard let input = request.inputs.first ?? nil, input.elementType == .float32, input.elementCount > 0 else {
            return .decline("no float32 numbers")
        }
        let pieces = min(request.threadCount * 2, 1 + input.elementCount / 16_384)
        let layout = request.inputLayouts[0] ?? .rowMajor
        return .accept(
            Candidate(
                microseconds: 2 + Double(input.elementCount) / 3_000 / Double(request.threadCount),
                inputLayouts: [layout], outputLayouts: [layout, .rowMajor, .rowMajor], readsSlices: false,
                writesSlices: false, scratchByteCount: pieces * MemoryLayout<DynamicQuantizationStep.Range>.stride
            ) { operands in
                DynamicQuantizationStep(
                    input: try operands.input(0), outputs: operands.outputs, scratch: operands.scratch,
                    pieceCount: pieces)
            })
    }
}

private struct DynamicQuantizationStep: Step {
    /// The minimum and maximum of a piece.
    struct Range: BitwiseCopyable {
        var low: Float = 0
        var high: Float = 0
    }

    private struct Arguments: BitwiseCopyable {
        let x: UnsafePointer<Float>
        let y: UnsafeMutablePointer<UInt8>
        let ranges: UnsafeMutablePointer<Range>
        let count: Int
        let step: Int
        var scale: Float = 0
        var zeroPoint: Int32 = 0

        func piece(_ index: Int) -> (first: Int, count: Int) {
            let first = min(index * step, count)
            return (first, min(step, count - first))
        }
    }

    let input: Operand
    let outputs: [Operand]
    let scratch: Operand
    let pieceCount: Int

    func run(_ context: StepContext) {
        let count = input.elementCount
        var arguments = Arguments(
            x: UnsafeRawPointer(context.bytes(input)).assumingMemoryBound(to: Float.self),
            y: context.mutableBytes(outputs[0]),
            ranges: context.memory.mutableAddress(scratch).assumingMemoryBound(to: Range.self), count: count,
            step: (count + pieceCount - 1) / pieceCount)
        context.workers.run(pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (first, count) = it.piece(index)
            var range = Range()
            apus_find_range(it.x + first, count, &range.low, &range.high)
            it.ranges[index] = range
        }
        let low = (0..<pieceCount).reduce(0) { min($0, arguments.ranges[$1].low) }
        let high = (0..<pieceCount).reduce(0) { max($0, arguments.ranges[$1].high) }
        let (scale, zeroPoint) = DynamicQuantizeLinear.parameters(low: low, high: high)
        if outputs.count > 1 {
            context.memory.mutableAddress(outputs[1]).assumingMemoryBound(to: Float.self).pointee = scale
        }
        if outputs.count > 2 { context.mutableBytes(outputs[2]).pointee = zeroPoint }
        // Where every number is 0, division by 1 keeps it 0.
        (arguments.scale, arguments.zeroPoint) = (scale == 0 ? 1 : scale, Int32(zeroPoint))
        context.workers.run(pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (first, count) = it.piece(index)
            apus_quantize(it.x + first, it.scale, it.zeroPoint, 0, 255, 1, count, it.y + first)
        }
    }
}
