import Graphs
import Tensors

/// A plan in the making: operations with their chosen lowerings, and the values between them, before memory is
/// assigned.
struct Draft {
    /// A value in one layout; a graph value that is needed in two layouts is two planned values.
    struct Value {
        /// What provides the value.
        enum Source {
            case input(Int)
            case constant(Tensor)
            case operation(Int)
        }

        var name: String
        var type: TensorType
        var layout: Layout
        var space: MemorySpace
        var source: Source
        /// The operations that read the value.
        var readers: [Int] = []
    }

    /// A node, or a copy between layouts or memories, with its lowering.
    struct Operation {
        /// What is decided once: a plan copies its operations often, and this only by reference.
        private final class Decision {
            let request: LoweringRequest
            let ranking: LoweringRequest
            let choice: Planner.Choice

            init(_ request: LoweringRequest, _ ranking: LoweringRequest, _ choice: Planner.Choice) {
                self.request = request
                self.ranking = ranking
                self.choice = choice
            }
        }

        /// The graph's node that is run, or for which a copy is made; nil for copies of outputs.
        var nodeIndex: Int?
        private let decision: Decision
        /// Indices of planned values; nil where an optional input is absent.
        var inputs: [Int?]
        var outputs: [Int]
        /// Why the operation does not run strip by strip with the next, where both could.
        var stripReason: String?
        /// Whether the operation runs on the processor in one step with elementwise neighbours, which needs dense
        /// values.
        var isJoined = false
        /// Why the operation does not run on the device, which has a kernel for it.
        var deviceReason: String?

        init(
            nodeIndex: Int? = nil, request: LoweringRequest, ranking: LoweringRequest, inputs: [Int?], outputs: [Int],
            choice: Planner.Choice
        ) {
            self.nodeIndex = nodeIndex
            decision = Decision(request, ranking, choice)
            self.inputs = inputs
            self.outputs = outputs
        }

        /// The request that lowerings answered.
        var request: LoweringRequest { decision.request }
        /// The request by which lowerings were ranked.
        var ranking: LoweringRequest { decision.ranking }
        var choice: Planner.Choice { decision.choice }
        var node: Graph.Node { request.node }
        var inputTypes: [TensorType?] { request.inputs }
        var candidate: Candidate { choice.contender.candidate }
        var backend: any Backend { choice.contender.backend }
        /// Whether inputs may be slices of a larger value, with gaps between pixels.
        var readsSlices: Bool { candidate.readsSlices && !isJoined }
        /// Whether outputs may be slices of a larger value.
        var writesSlices: Bool { candidate.writesSlices && !isJoined }
        var transfer: Transfer? { node.operation as? Transfer }
    }

    /// The ``Planner/largeOutputByteCount``.
    let largeOutputByteCount: Int
    var values: [Value] = []
    var operations: [Operation] = []
    /// The planned value of each graph output.
    var outputs: [Int] = []
    /// Operations that run strip by strip as one step, in order.
    var chains: [StripChain] = []
    /// Elementwise operations that run as one step, in order.
    var fusions: [ElementwiseFusion] = []

    mutating func addValue(
        _ name: String, _ type: TensorType, _ layout: Layout, _ source: Value.Source, in space: MemorySpace = .host
    ) -> Int {
        values.append(Value(name: name, type: type, layout: layout, space: space, source: source))
        return values.count - 1
    }

    /// For each operation, the bytes of scratch memory of the step that begins there.
    var scratchByteCounts: [Int] {
        var counts = operations.map(\.candidate.scratchByteCount)
        for chain in chains {
            for operation in chain.operations { counts[operation] = 0 }
            counts[chain.operations.lowerBound] = chain.workerByteCount * chain.workerCount
        }
        return counts
    }

    /// For each operation, the first operation of the step that it runs in.
    var stepStarts: [Int] {
        var starts = Array(operations.indices)
        for chain in chains { for operation in chain.operations { starts[operation] = chain.operations.lowerBound } }
        for fusion in fusions {
            for operation in fusion.operations { starts[operation] = fusion.operations.lowerBound }
        }
        return starts
    }

    /// The chain of each value that is only passed on inside a chain, strip by strip.
    var chainOfValue: [Int: StripChain] {
        var result: [Int: StripChain] = [:]
        for chain in chains {
            for operation in chain.operations.dropLast() {
                for output in operations[operation].outputs { result[output] = chain }
            }
        }
        return result
    }

    /// The values that stay in registers, or in the first cache, between operations that run as one.
    var fusedValues: Set<Int> {
        Set(fusions.flatMap { $0.operations.dropLast().flatMap { operations[$0].outputs } })
    }

    /// Whether anything runs on a device.
    var usesDevice: Bool { operations.contains { $0.backend.space == .device } }

    mutating func append(_ operation: Operation) {
        for input in operation.inputs { if let input { values[input].readers.append(operations.count) } }
        operations.append(operation)
    }
}
