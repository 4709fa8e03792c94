import Graphs
import Planning
import Tensors

/// Functions of one element, and of one element each of several values that broadcast.
struct ElementwiseLowering: Lowering {
    let name = "elementwise"
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        guard let chain = ElementwiseChain(request) else { return .decline("not an elementwise function") }
        if !chain.readsBytes, let refusal = request.refusalOfElements { return .decline(refusal) }
        let output = request.outputs[0]
        guard output.rank <= StridedWalk.maximumRank else { return .decline("more than 8 axes") }
        guard output.elementCount <= Int(Int32.max) else { return .decline("extents exceed integers of 32 bits") }
        let layout = request.prevailingLayout
        let layouts = request.inputs.enumerated().map { index, type in
            chain.operands.contains(index) && type?.shape == output.shape ? layout : nil
        }
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: 0, byteCount: request.cost.bytes),
                inputLayouts: layouts, outputLayouts: [layout],
                elementwise: JoinedElementwise(inputCount: request.inputs.count, chain: chain),
                makeDeviceStep: { operands in
                    let values = try chain.operands.map { try operands.input($0).onDevice() }
                    return KernelStep(chain.calls(values, to: operands.outputs[0]))
                }))
    }
}

/// Stages of `elementwise.cl`: the first value goes through all, each of the others joins at a stage.
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
    /// Whether the first value's elements are bytes, which become numbers.
    var readsBytes = false

    /// Nil when the request is none.
    init?(_ request: LoweringRequest) {
        let operation = request.operation
        if (operation as? any BroadcastingOperator)?.alignment != nil { return nil }
        var stages: [Stage]
        var count = 1
        if let stage = Self.unary(operation, request.inputs) {
            stages = [stage]
        } else if Self.isConversionOfBytes(request) {
            stages = [Stage(function: "identity")]
            readsBytes = true
        } else if let function = Self.binary(operation) {
            count = request.inputs.count
            stages = (1..<max(count, 1)).map { Stage(function: function, operand: $0) }
            if operation is Mean { stages.append(Stage(function: "affine", alpha: 1 / Float(count))) }
            if stages.isEmpty { stages = [Stage(function: "identity")] }
        } else {
            return nil
        }
        if let activation = (operation as? any ActivationFusing)?.activation { stages.append(Self.stage(activation)) }
        operands = Array(0..<count)
        self.stages = stages
    }

    init(operands: [Int], stages: [Stage], readsBytes: Bool = false) {
        self.operands = operands
        self.stages = stages
        self.readsBytes = readsBytes
    }

    private static func isConversionOfBytes(_ request: LoweringRequest) -> Bool {
        guard let cast = request.operation as? Cast, cast.to == .float32, let input = request.inputs[0] else {
            return false
        }
        return input.elementType == .uint8 && input.elementCount > 0
    }

    static func stage(_ activation: Activation) -> Stage {
        switch activation {
        case .relu: Stage(function: "relu")
        case .clip(let low, let high): Stage(function: "clip", alpha: low, beta: high)
        case .leakyRelu(let slope): Stage(function: "leaky_relu", alpha: slope)
        case .hardSigmoid(let alpha, let beta): Stage(function: "hard_sigmoid", alpha: alpha, beta: beta)
        case .hardSwish: Stage(function: "hard_swish")
        case .sigmoid: Stage(function: "sigmoid")
        case .swish: Stage(function: "swish", alpha: 1)
        case .gelu(let isApproximate): Stage(function: isApproximate ? "gelu_tanh" : "gelu")
        }
    }

    private static func unary(_ operation: any Operator, _ inputs: [TensorType?]) -> Stage? {
        switch operation {
        case let clip as Clip:
            clip.bounds(inputs).map { Stage(function: "clip", alpha: $0.low, beta: $0.high) }
        case let leaky as LeakyRelu: Stage(function: "leaky_relu", alpha: leaky.alpha)
        case let hard as HardSigmoid: Stage(function: "hard_sigmoid", alpha: hard.alpha, beta: hard.beta)
        case let elu as Elu: Stage(function: "elu", alpha: elu.alpha)
        case let swish as Swish: Stage(function: "swish", alpha: swish.alpha)
        case let gelu as Gelu: Stage(function: gelu.isApproximate ? "gelu_tanh" : "gelu")
        default: plainFunctions[type(of: operation).name].map { Stage(function: $0) }
        }
    }

    /// Functions without attributes, by operator.
    private static let plainFunctions = [
        "Relu": "relu", "Abs": "abs", "Neg": "neg", "Ceil": "ceil", "Floor": "floor", "Exp": "exp", "Log": "log",
        "Sqrt": "sqrt", "Reciprocal": "reciprocal", "Erf": "erf", "Tanh": "tanh", "Sigmoid": "sigmoid",
        "HardSwish": "hard_swish", "Softplus": "softplus", "Softsign": "softsign", "Mish": "mish",
    ]

    private static func binary(_ operation: any Operator) -> String? {
        switch operation {
        case is Add, is Sum, is Mean: "add"
        case is Sub: "sub"
        case is Mul: "mul"
        case is Div: "div"
        case is Max: "max"
        case is Min: "min"
        case is Pow: "pow"
        case let relu as PRelu where !relu.hasChannelSlope: "prelu"
        default: nil
        }
    }

    /// As many kernels as the stages need; each but the first reads what the one before stored.
    func calls(_ values: [Operand], to output: Operand) -> [KernelCall] {
        var parts: [[Stage]] = [[]]
        for stage in stages {
            let part = parts[parts.count - 1]
            let joined = part.count { $0.operand != nil } + (stage.operand == nil ? 0 : 1)
            if part.count == Self.maximumStages || joined > Self.maximumJoined { parts.append([]) }
            parts[parts.count - 1].append(stage)
        }
        return parts.enumerated().map { index, part in
            call(part, first: index == 0 ? values[0] : output, values, to: output)
        }
    }

    private func call(_ stages: [Stage], first: Operand, _ values: [Operand], to output: Operand) -> KernelCall {
        let others = stages.compactMap(\.operand)
        let read = [first] + others.map { values[$0] }
        let walk = StridedWalk(
            output.shape, ([output] + read).map { StridedWalk.strides(of: $0, over: output.shape) })
        let vector = walk.vectorWidth(positions: ([output] + read).map(\.position))
        var macros = ["RANK": "\(walk.rank)", "STAGES": "\(stages.count)", "VECTOR": "\(vector)"]
        if first.elementType == .uint8 { macros["BYTES"] = "1" }
        var next = 1
        for (index, stage) in stages.enumerated() {
            macros["STAGE_\(index)"] = "stage_\(stage.function)"
            if stage.operand == nil { continue }
            macros["OPERAND_\(index)"] = "\(next)"
            next += 1
        }
        let padded = read + Array(repeating: output, count: 4 - read.count)
        let strides = Array(walk.strides.dropFirst()) + Array(repeating: [], count: 4 - read.count)
        var arguments: [KernelCall.Argument] = padded.map { .operand($0) } + [.operand(output)]
        arguments += [.int(Int32(walk.count)), .axes(walk.extents)]
        arguments += (strides + [walk.strides[0]]).map { .axes($0) }
        arguments += [.floats(stages.map(\.alpha)), .floats(stages.map(\.beta))]
        return KernelCall(
            .elementwise, kernel: "elementwise", macros: macros, arguments: arguments, global: [walk.count / vector])
    }
}
