import CPUKernels
import Graphs
import Planning
import Tensors

/// RNN, GRU and LSTM with weights that are part of the network: the inputs of all steps are one product, and each
/// sequence of each direction then runs step by step on one thread.
struct RecurrenceLowering: Lowering {
    let name = "recurrence"
    let kernel: GEMMKernel

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let network: RecurrentNetworkRequest
        do { network = try RecurrentNetworkRequest(request) } catch { return error.answer }
        let shape = network.shape
        let rate = kernel.instructionSet.multiplyAddsPerMicrosecond / 4
        let tiling = PackedProductPartition(
            rows: shape.rowCount, columns: shape.gates * shape.hidden, depth: shape.input,
            rowByteCount: shape.input * MemoryLayout<Float>.stride,
            cachedRowByteCount: kernel.chainByteCount(shape.input), segmentCount: 1, tileRows: kernel.tileRows,
            panelColumns: kernel.panelColumns, threads: request.threadCount)
        let scratch = RecurrenceScratch(shape, threads: request.threadCount, rowsPerBlock: tiling.maximumRowsPerBlock)
        guard let byteCount = scratch.byteCount else { return .decline("the gates of all steps are too large") }
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    request.cost, multiplyAddsPerMicrosecond: rate, threads: request.threadCount),
                inputLayouts: request.inputs.map { _ in .rowMajor },
                outputLayouts: request.outputs.map { _ in .rowMajor }, readsSlices: false, writesSlices: false,
                scratchByteCount: byteCount
            ) { operands in
                RecurrenceStep(
                    input: try operands.input(0), lengths: try operands.optionalInput(4),
                    initialHidden: try operands.optionalInput(5), initialCell: try operands.optionalInput(6),
                    outputs: operands.outputs, scratch: operands.scratch, places: scratch,
                    weights: try RecurrentWeights(network, kernel, operands.packedWeights), shape: shape,
                    functions: network.functions, tiling: tiling, kernel: kernel)
            })
    }
}

/// A recurrent network as kernels compute it.
struct RecurrentNetworkRequest {
    let shape: RecurrenceShape
    let weights: Tensor
    let recurrentWeights: Tensor
    /// The biases of the input and of the recurrence, [D, 2 · gates · H]; nil without them.
    let bias: Tensor?
    let peepholes: Tensor?
    /// The functions of each direction, one after another.
    let functions: [apus_gate_function]

    init(_ request: LoweringRequest) throws(LoweringRefusal) {
        guard let network = request.operation as? any RecurrentNetwork else { throw .otherOperator }
        for (index, type) in request.inputs.enumerated() {
            guard let type, index != 4 else { continue }
            if type.elementType != .float32 { throw LoweringRefusal("elements are \(type.elementType)") }
            if type.elementCount == 0 { throw LoweringRefusal("a value is empty") }
        }
        if let lengths = request.inputs.optional(4), lengths.elementType != .int32 {
            throw LoweringRefusal("lengths of sequences are \(lengths.elementType)")
        }
        guard request.outputs[0].elementCount > 0 else { throw LoweringRefusal("a value is empty") }
        shape = try RecurrenceShape(network, request.inputs)
        guard let weights = request.constants[1], let recurrentWeights = request.constants[2],
            (request.inputs.optional(3) == nil) == (request.constants.optional(3) == nil),
            (request.inputs.optional(7) == nil) == (request.constants.optional(7) == nil)
        else { throw LoweringRefusal("weights are computed at run time") }
        (self.weights, self.recurrentWeights) = (weights, recurrentWeights)
        (bias, peepholes) = (request.constants.optional(3), request.constants.optional(7))
        do {
            let activations = try network.recurrence.activations(type(of: network).defaultActivations)
            functions = try activations.flatMap { try $0.map { try apus_gate_function($0) } }
        } catch {
            throw LoweringRefusal("\(error)")
        }
    }
}

/// The extents of a recurrent network, and where its values lie.
struct RecurrenceShape: BitwiseCopyable, Sendable {
    enum Kind: BitwiseCopyable, Sendable {
        case rnn
        case gru(isLinearBeforeReset: Bool)
        case lstm(couplesInputAndForget: Bool)
    }

    let kind: Kind
    let time, batch, input, hidden, directions, gates: Int
    let isBatchFirst: Bool
    let isReverse: Bool
    let clip: Float

    init(_ network: any RecurrentNetwork, _ inputs: [TensorType?]) throws(LoweringRefusal) {
        let recurrence = network.recurrence
        gates = type(of: network).gateCount
        do {
            let extents = try recurrence.extents(inputs, gates: gates)
            (time, batch, input, hidden) = (extents.time, extents.batch, extents.input, extents.hidden)
        } catch {
            throw LoweringRefusal("\(error)")
        }
        directions = recurrence.directionCount
        (isBatchFirst, isReverse) = (recurrence.isBatchFirst, recurrence.direction == .reverse)
        clip = recurrence.clip ?? .infinity
        switch network {
        case let lstm as LSTM: kind = .lstm(couplesInputAndForget: lstm.couplesInputAndForget)
        case let gru as GRU: kind = .gru(isLinearBeforeReset: gru.isLinearBeforeReset)
        default: kind = .rnn
        }
    }

    /// The gates that the recurrent weights of the first product compute; those of the second follow.
    var firstGates: Int { if case .gru = kind { 2 } else { gates } }

    /// The number of steps of all sequences.
    var rowCount: Int { time * batch }

    /// The position of a step's input among those of all sequences.
    func row(_ step: Int, _ sequence: Int) -> Int { isBatchFirst ? sequence * time + step : step * batch + sequence }

    /// The first element of a step's output.
    func place(_ step: Int, _ direction: Int, _ sequence: Int) -> Int {
        let index =
            isBatchFirst
            ? (sequence * time + step) * directions + direction : (step * directions + direction) * batch + sequence
        return index * hidden
    }

    /// The first element of a sequence's state.
    func statePlace(_ direction: Int, _ sequence: Int) -> Int {
        (isBatchFirst ? sequence * directions + direction : direction * batch + sequence) * hidden
    }
}

extension apus_gate_function {
    /// - Throws: ``LoweringRefusal`` when the table of functions does not have it.
    init(_ activation: RecurrentActivation) throws {
        self.init()
        guard let function = activation.kernelFunction, apus_find_unary(function.name, &kind) != 0 else {
            throw LoweringRefusal("a gate's function is \(activation.function.rawValue)")
        }
        (alpha, beta) = (function.alpha, function.beta)
    }
}

extension [Tensor?] {
    /// An element, or nil behind the end.
    fileprivate func optional(_ index: Int) -> Tensor? { index < count ? self[index] : nil }
}
