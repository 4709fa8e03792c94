import Graphs
import Tensors

/// What a plan does for one node, and why.
package struct PlannedLayer: Sendable {
    /// The memory of an output.
    package enum Memory: Sendable, Equatable {
        /// A range of bytes of the arena; where an input is overwritten, the range that it had.
        case arena(offset: Int, byteCount: Int, overwriting: String?)
        /// Elements written in place into a slice of another value.
        case slice(of: String, axis: Int, start: Int, offset: Int)
        /// Another arrangement of an input's memory.
        case view(of: String)
        /// Some rows at a time, in each worker's memory.
        case strip
        /// Registers or the first-level cache, within one step with the next layer.
        case registers
        /// The caller's memory for an output of the network.
        case output
    }

    /// The node's name.
    package let name: String
    /// The operator's name, with what is fused into it: `Conv + Relu`.
    package let operatorName: String
    package let inputShapes: [[Int]]
    package let outputShapes: [[Int]]
    package let outputLayout: Layout
    /// The element type in which outputs are stored; where that is bfloat16, their values may be float32 in the graph.
    package let outputType: ElementType?
    package let backend: String
    package let lowering: String
    /// The lowering's variant, where it has several.
    package let variant: String?
    /// The expected time of a run.
    package let microseconds: Double
    /// The time of a run by measurement, on the number of threads that it was measured with; nil where none was
    /// measured.
    package let measured: MeasuredTime?
    package let multiplyAdds: Int
    /// Bytes read from and written to memory: inputs, weights and outputs, each counted once, without what is written
    /// in place or stays between layers that run strip by strip.
    package let byteCount: Int
    /// Every lowering that was asked, in order.
    package let considered: [LoweringExplanation]
    package let memory: Memory
    /// Where the outputs lie.
    package let space: MemorySpace
    /// Bytes that a copy between the processor's memory and the device's moves; 0 for every other layer.
    package let transferByteCount: Int
    /// The layers that run strip by strip as one step, this one among them.
    package let chain: StripChain?
    /// Why the next layer does not run strip by strip with this one, although it could.
    package let stripReason: String?
    /// Why the layer does not run on the device, although the device has a kernel for it.
    package let deviceReason: String?

    /// The layers of a draft's operations.
    static func all(_ draft: Draft, _ placement: MemoryPlan) -> [PlannedLayer] {
        var chains = [StripChain?](repeating: nil, count: draft.operations.count)
        for chain in draft.chains { for operation in chain.operations { chains[operation] = chain } }
        let fused = draft.fusedValues
        return zip(draft.operations, chains).map { PlannedLayer($0, draft, placement, $1, fused) }
    }

    private init(
        _ operation: Draft.Operation, _ draft: Draft, _ placement: MemoryPlan, _ chain: StripChain?, _ fused: Set<Int>
    ) {
        name = operation.node.name
        operatorName = operation.node.fusedOperatorName
        inputShapes = operation.inputTypes.compactMap { $0?.shape }
        let outputs = operation.outputs.map { draft.values[$0] }
        outputShapes = outputs.map(\.type.shape)
        outputLayout = outputs.first?.layout ?? .rowMajor
        outputType = outputs.first?.type.elementType
        let chosen = operation.choice.contender
        backend = chosen.backend.name
        lowering = chosen.lowering.name
        variant = chosen.candidate.variant
        microseconds = chosen.candidate.microseconds
        let images = operation.request.imageCount(comparedWith: operation.ranking)
        measured = chosen.measured.map {
            MeasuredTime(microseconds: $0.microseconds * Double(images), threads: $0.threads, images: images)
        }
        let cost = operation.node.operation.cost(
            inputs: operation.inputs.map { $0.map { draft.values[$0].type } }, outputs: outputs.map(\.type))
        multiplyAdds = cost.multiplyAdds
        byteCount = max(0, cost.bytes - Self.bytesInPlace(operation, draft, placement, fused))
        considered = operation.choice.considered
        self.chain = chain
        stripReason = operation.stripReason
        deviceReason = operation.deviceReason
        let output = operation.outputs.first ?? 0
        space = draft.values.indices.contains(output) ? draft.values[output].space : .host
        transferByteCount = operation.transfer == nil ? 0 : outputs.first?.type.byteCount ?? 0
        var offset = 0
        if placement.operands.indices.contains(output) {
            switch placement.operands[output].place {
            case .arena(let start), .device(let start): offset = start
            default: break
            }
        }
        if operation.outputs.allSatisfy(placement.views.contains), let source = operation.inputs.first ?? nil {
            memory = .view(of: draft.values[source].name)
        } else if fused.contains(output) {
            memory = .registers
        } else if draft.chainOfValue[output] != nil {
            memory = .strip
        } else if let slice = placement.slices[output] {
            memory = .slice(
                of: draft.values[slice.parent].name, axis: slice.axis, start: slice.start, offset: offset)
        } else if placement.operands.indices.contains(output), case .output = placement.operands[output].place {
            memory = .output
        } else {
            memory = .arena(
                offset: offset, byteCount: outputs.first?.type.byteCount ?? 0,
                overwriting: placement.overwritten[output].map { draft.values[$0].name })
        }
    }

    /// Bytes of an operation's inputs and outputs that stay in place: it neither reads them from memory nor writes
    /// them.
    private static func bytesInPlace(
        _ operation: Draft.Operation, _ draft: Draft, _ placement: MemoryPlan, _ fused: Set<Int>
    ) -> Int {
        let inputs = operation.inputs.compactMap { $0 }
        func sum(_ values: [Int]) -> Int { values.reduce(0) { $0 &+ draft.values[$1].type.byteCount } }
        if operation.outputs.allSatisfy(placement.views.contains) { return .max }
        if operation.candidate.concatenationAxis != nil, let output = operation.outputs.first {
            return 2 &* sum(inputs.filter { placement.slices[$0]?.parent == output })
        }
        if operation.candidate.splitAxis != nil { return 2 &* sum(operation.outputs.filter(placement.views.contains)) }
        return sum((inputs + operation.outputs).filter { draft.chainOfValue[$0] != nil || fused.contains($0) })
    }
}
