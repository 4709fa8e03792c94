import CPUKernels
import Graphs
import Planning
import Tensors

/// Functions of one element that run one after another on blocks of elements, so that values between them stay in the
/// first-level cache.
struct JoinedFunctions: ElementwiseStage {
    /// The work of a node.
    enum Function: Sendable {
        case unary(UnaryLowering.Function)
        /// A function of the element and of input `operand`, which begins again after `period` elements.
        case binary(apus_binary_kind, apus_activation, operand: Int, period: Int, isOperandFirst: Bool)
        case quantize(AffineQuantize, roundsToEven: Bool)
        case dequantize(scale: Float, zeroPoint: Int32, isSigned: Bool)
        /// The table's 256 elements.
        case lookUp(Tensor, isSigned: Bool)
    }

    /// The most functions of a step: their parameters fit on the stack.
    private static let maximumCount = 8

    private let functions: [Function]
    /// The input that the first function reads.
    private let source: Int
    private let inputCount: Int
    private let elementCount: Int

    /// - Parameter source: The position of the input whose elements the function reads.
    init(_ function: Function, source: Int = 0, _ request: LoweringRequest) {
        self.init([function], source, request.inputs.count, request.outputs[0].elementCount)
    }

    private init(_ functions: [Function], _ source: Int, _ inputCount: Int, _ elementCount: Int) {
        self.functions = functions
        self.source = source
        self.inputCount = inputCount
        self.elementCount = elementCount
    }

    func followed(by next: any ElementwiseStage, at position: Int) -> (any ElementwiseStage)? {
        guard let next = (next as? JoinedFunctions)?.reading(position),
            functions.count + next.functions.count <= Self.maximumCount
        else { return nil }
        let following = next.functions.map { function in
            guard case .binary(let kind, let activation, let operand, let period, let isFirst) = function else {
                return function
            }
            return Function.binary(
                kind, activation, operand: inputCount + (operand < position ? operand : operand - 1), period: period,
                isOperandFirst: isFirst)
        }
        return JoinedFunctions(functions + following, source, inputCount + next.inputCount - 1, elementCount)
    }

    /// The same with input `position` as the source; nil where that is none of the inputs with all elements.
    private func reading(_ position: Int) -> JoinedFunctions? {
        if position == source { return self }
        guard functions.count == 1,
            case .binary(let kind, let activation, let operand, let period, let isFirst) = functions[0],
            operand == position, period == elementCount, elementCount > 1
        else { return nil }
        let exchanged = Function.binary(
            kind, activation, operand: source, period: period, isOperandFirst: !isFirst)
        return JoinedFunctions([exchanged], position, inputCount, elementCount)
    }

    func makeStep(_ inputs: [Operand?], _ output: Operand) throws -> ElementwiseStep {
        guard let input = inputs[source] else { throw PlanningError.missingOperand(source) }
        let operands = try functions.map { function -> Operand? in
            guard case .binary(_, _, let operand, _, _) = function else { return nil }
            guard let operand = inputs[operand] else { throw PlanningError.missingOperand(operand) }
            return operand
        }
        return .host(JoinedFunctionsStep(functions: functions, operands: operands, input: input, output: output))
    }
}

extension LoweringRequest {
    /// The number of elements after which input `position` begins again beside an output of `layout`: all of them where
    /// it has the output's shape. Nil where it is computed and broadcast, or does not begin again at equal distances.
    func period(ofInput position: Int, _ layout: Layout) -> Int? {
        guard let type = inputs[position], type.elementType == .float32 else { return nil }
        let shape = outputs[0].shape
        // No layer before this one brings the elements of a constant into the order of its shape.
        if let tensor = constants[position], tensor.strides != Shape.rowMajorStrides(tensor.shape) { return nil }
        if type.shape == shape { return outputs[0].elementCount }
        guard let tensor = constants[position], tensor.shape.count <= shape.count else { return nil }
        let missing = shape.count - tensor.shape.count
        var period = 1
        var isWhole = true
        let strides = layout.strides(shape)
        for axis in shape.indices.sorted(by: { strides[$0] < strides[$1] }) where shape[axis] != 1 {
            let extent = axis < missing ? 1 : tensor.shape[axis - missing]
            if extent == 1 {
                isWhole = false
            } else if isWhole, tensor.strides[axis - missing] == period {
                period *= extent
            } else {
                return nil
            }
        }
        // Kernels are called once a period.
        return period > 1 && period < 16 ? nil : period
    }
}

private struct JoinedFunctionsStep: Step {
    private struct Arguments: BitwiseCopyable {
        let functions: UnsafePointer<apus_chain_function>
        let functionCount: Int
        let input: UnsafeRawPointer
        let inputByteCount: Int
        let output: UnsafeMutableRawPointer
        let outputByteCount: Int
        let pieces: ElementPieces
    }

    let functions: [JoinedFunctions.Function]
    /// The other operand of each function that has one.
    let operands: [Operand?]
    let input: Operand
    let output: Operand

    func run(_ context: StepContext) {
        withUnsafeTemporaryAllocation(of: apus_chain_function.self, capacity: functions.count) { kernels in
            var count = 0
            for (index, function) in functions.enumerated() {
                let kernel = kernel(function, operands[index], context)
                if count > 0, kernels[count - 1].kind == APUS_CHAIN_QUANTIZE, kernel.kind == APUS_CHAIN_DEQUANTIZE {
                    kernels[count - 1].kind = APUS_CHAIN_QUANTIZE_AND_DEQUANTIZE
                    kernels[count - 1].result_scale = kernel.result_scale
                    kernels[count - 1].result_zero_point = kernel.result_zero_point
                } else {
                    kernels.initializeElement(at: count, to: kernel)
                    count += 1
                }
            }
            guard let first = kernels.baseAddress else { return }
            run(first, count, context)
        }
        withExtendedLifetime(functions) {}
    }

    private func run(
        _ kernels: UnsafePointer<apus_chain_function>, _ count: Int, _ context: StepContext
    ) {
        let pieces = ElementPieces(output.shape.reduce(1, *), threadCount: context.workers.count)
        let arguments = Arguments(
            functions: kernels, functionCount: count, input: context.memory.address(input),
            inputByteCount: input.elementType.byteCount, output: context.memory.mutableAddress(output),
            outputByteCount: output.elementType.byteCount, pieces: pieces)
        context.workers.run(pieces.pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (first, count) = it.pieces.piece(index)
            guard count > 0 else { return }
            apus_run_chain(
                it.functions, it.functionCount, it.input, it.inputByteCount, it.output, it.outputByteCount, first,
                count)
        }
    }

    private func kernel(
        _ function: JoinedFunctions.Function, _ operand: Operand?, _ context: StepContext
    ) -> apus_chain_function {
        var kernel = apus_chain_function()
        switch function {
        case .unary(let function):
            kernel.kind = APUS_CHAIN_UNARY
            (kernel.unary, kernel.alpha, kernel.beta) = (function.kind, function.alpha, function.beta)
        case .binary(let kind, let activation, _, let period, let isOperandFirst):
            kernel.kind = APUS_CHAIN_BINARY
            (kernel.binary, kernel.activation) = (kind, activation)
            kernel.operand = context.floats(operand)
            kernel.operand_period = period
            kernel.is_operand_first = isOperandFirst ? 1 : 0
        case .quantize(let operation, let roundsToEven):
            kernel.kind = APUS_CHAIN_QUANTIZE
            let range = operation.elementType.quantizedRange ?? 0...0
            (kernel.scale, kernel.zero_point) = (operation.scale, operation.zeroPoint)
            (kernel.low, kernel.high) = (range.lowerBound, range.upperBound)
            kernel.rounds_to_even = roundsToEven ? 1 : 0
        case .dequantize(let scale, let zeroPoint, let isSigned):
            kernel.kind = APUS_CHAIN_DEQUANTIZE
            (kernel.result_scale, kernel.result_zero_point) = (scale, zeroPoint)
            kernel.is_signed = isSigned ? 1 : 0
        case .lookUp(let table, let isSigned):
            kernel.kind = APUS_CHAIN_LOOK_UP
            kernel.table = UnsafePointer(table.firstElement.assumingMemoryBound(to: UInt8.self))
            kernel.is_signed = isSigned ? 1 : 0
        }
        return kernel
    }
}
