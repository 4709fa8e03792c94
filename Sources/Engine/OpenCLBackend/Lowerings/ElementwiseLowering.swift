import Graphs
import OpenCLKernels
import Planning
import Tensors

/// Functions of one element, and of one element each of several values that broadcast; conversions to and from 8-bit
/// integers, and from integers of 32 bits.
struct ElementwiseLowering: Lowering {
    let name = "elementwise"
    let speed: OpenCLSpeed

    private static let maximumPlanes = 16

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let chain = ElementwiseChain(request) else { return .decline("not an elementwise function") }
        let output = request.outputs[0]
        if chain.readsIntegers || chain.writesBytes {
            guard output.elementCount > 0 else { return .decline("a value is empty") }
        } else if let refusal = request.refusalOfElements {
            return .decline(refusal)
        }
        guard output.rank <= StridedWalk.maximumRank else { return .decline("more than 8 axes") }
        guard output.elementCount <= Int(Int32.max) else { return .decline("extents exceed integers of 32 bits") }
        let layout = request.prevailingLayout
        let layouts = request.inputs.enumerated().map { index, type in
            chain.operands.contains(index) && type?.shape == output.shape ? layout : nil
        }
        // Convolutions of integers read pixels, which few planes are turned into on the way.
        let hasPlanes =
            chain.writesBytes && layout == .rowMajor && output.rank == 4
            && (2...Self.maximumPlanes).contains(output.shape[1])
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: 0, byteCount: request.cost.bytes),
                inputLayouts: layouts, outputLayouts: [hasPlanes ? .channelsLast : layout],
                elementwise: JoinedElementwise(inputCount: request.inputs.count, chain: chain),
                makeDeviceStep: { operands in
                    let values = try chain.operands.map { try operands.input($0).onDevice() }
                    return KernelStep(chain.calls(values, to: operands.outputs[0]))
                }))
    }
}

/// Stages of `stages.cl`: the first value goes through all, each of the others joins at a stage.
struct ElementwiseChain: Sendable {
    struct Stage: Sendable {
        var function: String
        /// The position among the chain's operands of the second operand.
        var operand: Int?
        var alpha: Float = 0
        var beta: Float = 0
    }

    /// What one kernel takes: stages, and values besides the first.
    private static let (maximumStages, maximumJoined) = (8, 3)

    /// Inputs of the node, in the order of the stages.
    let operands: [Int]
    let stages: [Stage]
    /// Whether the first value's elements are integers, which become numbers.
    var readsIntegers = false
    /// Whether the result's elements are bytes, to whose range numbers are clipped.
    var writesBytes = false

    /// Nil when the request is none.
    init?(_ request: LoweringRequest) {
        let operation = request.operation
        if (operation as? any BroadcastingOperator)?.alignment != nil { return nil }
        var stages: [Stage]
        var count = 1
        if let stage = Self.unary(operation, request.inputs) {
            stages = [stage]
        } else if let stage = Self.conversionOfIntegers(request) {
            stages = [stage]
            readsIntegers = true
        } else if let conversion = Self.conversionToBytes(request) {
            stages = conversion
            writesBytes = true
        } else if let function = Self.binary(operation) {
            count = request.inputs.count
            stages = (1..<max(count, 1)).map { Stage(function: function, operand: $0) }
            if operation is Mean { stages.append(Stage(function: "stage_affine", alpha: 1 / Float(count))) }
            if stages.isEmpty { stages = [Stage(function: "stage_identity")] }
        } else {
            return nil
        }
        if let activation = (operation as? any ActivationFusing)?.activation { stages.append(Self.stage(activation)) }
        operands = Array(0..<count)
        self.stages = stages
    }

    init(operands: [Int], stages: [Stage], readsIntegers: Bool = false, writesBytes: Bool = false) {
        self.operands = operands
        self.stages = stages
        self.readsIntegers = readsIntegers
        self.writesBytes = writesBytes
    }

    /// The numbers that bytes represent with one scale, or integers as numbers.
    private static func conversionOfIntegers(_ request: LoweringRequest) -> Stage? {
        guard let input = request.inputs.first ?? nil, input.elementType.kernelIntegerName != nil,
            request.outputs[0].elementType == .float32
        else { return nil }
        if request.operation is Cast { return Stage(function: "stage_identity") }
        guard input.elementType.isQuantizedByte, request.operation is DequantizeLinear,
            let (scale, zeroPoint) = parameters(request)
        else { return nil }
        return Stage(function: "stage_dequantize", alpha: scale, beta: zeroPoint)
    }

    /// The integers for numbers with one scale: quotients as whole numbers, then the zero point.
    private static func conversionToBytes(_ request: LoweringRequest) -> [Stage]? {
        guard request.outputs[0].elementType.isQuantizedByte, request.inputs.first??.elementType == .float32 else {
            return nil
        }
        let (function, scale, zeroPoint): (String, Float, Float)
        switch request.operation {
        case let affine as AffineQuantize:
            (function, scale, zeroPoint) = ("stage_quantize_away", affine.scale, Float(affine.zeroPoint))
        case let linear as QuantizeLinear where linear.saturates:
            guard let given = parameters(request) else { return nil }
            (function, scale, zeroPoint) = ("stage_quantize_even", given.scale, given.zeroPoint)
        default: return nil
        }
        // The reciprocal of such a scale is a number of full precision.
        guard (0x1p-100...0x1p100).contains(scale) else { return nil }
        return [
            Stage(function: function, alpha: scale, beta: 1 / scale),
            Stage(function: "stage_affine", alpha: 1, beta: zeroPoint),
        ]
    }

    /// The scale and zero point of the network by which a whole value is quantized; nil where there are several.
    private static func parameters(_ request: LoweringRequest) -> (scale: Float, zeroPoint: Float)? {
        guard let scales = request.constants[1], scales.elementCount == 1, scales.elementType == .float32 else {
            return nil
        }
        var zeroPoint: Float = 0
        if request.inputs.count > 2, request.inputs[2] != nil {
            guard let point = request.constants[2] else { return nil }
            zeroPoint = Float(point.elements(as: Int32.self).first ?? 0)
        }
        return (scales.elements(as: Float.self)[0], zeroPoint)
    }

    /// Nil when devices have no kernel for the function.
    private static func stage(_ function: KernelFunction) -> Stage? {
        apus_opencl_stage(function.name).map {
            Stage(function: String(cString: $0), alpha: function.alpha, beta: function.beta)
        }
    }

    static func stage(_ activation: Activation) -> Stage {
        // With alpha, as the operator alone.
        let function = activation == .swish ? Swish().kernelFunction : activation.kernelFunction
        guard let stage = stage(function) else {
            preconditionFailure("\(function.name) is not in the table of functions")
        }
        return stage
    }

    private static func unary(_ operation: any Operator, _ inputs: [TensorType?]) -> Stage? {
        switch operation {
        case let unary as any ElementwiseUnary: stage(unary.kernelFunction)
        case let clip as Clip:
            clip.bounds(inputs).flatMap { stage(KernelFunction(Clip.name, alpha: $0.low, beta: $0.high)) }
        default: nil
        }
    }

    private static func binary(_ operation: any Operator) -> String? {
        switch operation {
        case is Add, is Sum, is Mean: "stage_add"
        case is Sub: "stage_sub"
        case is Mul: "stage_mul"
        case is Div: "stage_div"
        case is Max: "stage_max"
        case is Min: "stage_min"
        case is Pow: "stage_pow"
        case let relu as PRelu where !relu.hasChannelSlope: "stage_prelu"
        default: nil
        }
    }

    /// Whether one kernel runs all stages.
    var isOneKernel: Bool { parts.count == 1 }

    private var parts: [[Stage]] {
        var parts: [[Stage]] = [[]]
        for stage in stages {
            let part = parts[parts.count - 1]
            let joined = part.count { $0.operand != nil } + (stage.operand == nil ? 0 : 1)
            if part.count == Self.maximumStages || joined > Self.maximumJoined { parts.append([]) }
            parts[parts.count - 1].append(stage)
        }
        return parts
    }

    /// As many kernels as the stages need; each but the first reads what the one before stored.
    func calls(_ values: [Operand], to output: Operand) -> [KernelCall] {
        parts.enumerated().map { index, part in
            call(part, first: index == 0 ? values[0] : output, values, to: output)
        }
    }

    /// The macros of `stages.cl`, and the numbers of the stages, where one kernel runs all of them.
    func macros(to output: Operand) -> [String: String] { Self.macros(stages, to: output) }
    var numbers: [KernelCall.Argument] { Self.numbers(stages) }

    private static func macros(_ stages: [Stage], to output: Operand) -> [String: String] {
        var macros = ["STAGES": "\(stages.count)"]
        if output.elementType.isQuantizedByte { macros["OUTPUT_BYTES"] = output.elementType.kernelIntegerName }
        var next = 1
        for (index, stage) in stages.enumerated() {
            macros["STAGE_\(index)"] = stage.function
            if stage.operand == nil { continue }
            macros["OPERAND_\(index)"] = "\(next)"
            next += 1
        }
        return macros
    }

    private static func numbers(_ stages: [Stage]) -> [KernelCall.Argument] {
        [.floats(stages.map(\.alpha)), .floats(stages.map(\.beta))]
    }

    private func call(_ stages: [Stage], first: Operand, _ values: [Operand], to output: Operand) -> KernelCall {
        let others = stages.compactMap(\.operand)
        let read = [first] + others.map { values[$0] }
        let walk = StridedWalk(
            output.shape, ([output] + read).map { StridedWalk.strides(of: $0, over: output.shape) })
        let vector = walk.vectorWidth(positions: ([output] + read).map(\.position))
        var macros = Self.macros(stages, to: output)
        macros["RANK"] = "\(walk.rank)"
        macros["VECTOR"] = "\(vector)"
        if let name = first.elementType.kernelIntegerName { macros["INTEGERS"] = name }
        let padded = read + Array(repeating: output, count: 4 - read.count)
        let strides = Array(walk.strides.dropFirst()) + Array(repeating: [], count: 4 - read.count)
        var arguments: [KernelCall.Argument] = padded.map { .operand($0) } + [.operand(output)]
        arguments += [.int(Int32(walk.count)), .axes(walk.extents)]
        arguments += (strides + [walk.strides[0]]).map { .axes($0) }
        arguments += Self.numbers(stages)
        return KernelCall(
            .elementwise, kernel: "elementwise", macros: macros, arguments: arguments, global: [walk.count / vector])
    }
}

extension ElementType {
    /// The type of integers that become numbers, in OpenCL C; nil for other types.
    fileprivate var kernelIntegerName: String? {
        switch self {
        case .int8: "char"
        case .uint8: "uchar"
        case .int32: "int"
        default: nil
        }
    }
}
