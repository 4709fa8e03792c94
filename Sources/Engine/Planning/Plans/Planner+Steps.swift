import Tensors

extension Planner {
    /// The steps of a plan, and the part of them that a device runs.
    struct Steps {
        var steps: [Plan.PlannedStep] = []
        var deviceSteps: [any DeviceStep] = []
        /// Bytes of all transfers together; each has its own place.
        var stagingByteCount = 0
    }

    /// Makes the steps: one per operation that is not a view, and one per chain.
    func steps(
        _ draft: Draft, _ placement: MemoryPlan, _ packedWeights: PackedWeights
    ) throws(PlanningError) -> Steps {
        defer { packedWeights.releaseScratch() }
        let chains = Dictionary(draft.chains.map { ($0.operations.lowerBound, $0) }) { first, _ in first }
        let fusions = Dictionary(draft.fusions.map { ($0.operations.lowerBound, $0) }) { first, _ in first }
        let downloads = Self.downloadedValues(draft, placement)
        var made = Steps()
        var index = 0
        while index < draft.operations.count {
            if let chain = chains[index] {
                let last = chain.operations.upperBound - 1
                made.steps.append(
                    .init(
                        layer: last, work: .host(try step(chain, draft, placement, packedWeights)),
                        readsDownload: Self.reads(downloads, chain.operations, draft)))
                index = chain.operations.upperBound
                continue
            }
            if let fusion = fusions[index] {
                let last = fusion.operations.upperBound - 1
                switch try step(fusion, draft, placement) {
                case .host(let step):
                    made.steps.append(
                        .init(
                            layer: last, work: .host(step),
                            readsDownload: Self.reads(downloads, fusion.operations, draft)))
                case .device(let step):
                    made.steps.append(.init(layer: last, work: .device(made.deviceSteps.count)))
                    made.deviceSteps.append(step)
                }
                index = fusion.operations.upperBound
                continue
            }
            let operation = draft.operations[index]
            let readsDownload = Self.reads(downloads, index..<index + 1, draft)
            if !operation.outputs.allSatisfy(placement.views.contains) {
                switch operation.candidate.work {
                case .host(let makeStep, _, _):
                    let operands = operands(index, draft, placement, packedWeights)
                    let step = try Self.make(operation) { try makeStep(operands) }
                    made.steps.append(.init(layer: index, work: .host(step), readsDownload: readsDownload))
                case .device(let makeStep, _):
                    let operands = operands(index, draft, placement, packedWeights)
                    made.steps.append(.init(layer: index, work: .device(made.deviceSteps.count)))
                    made.deviceSteps.append(try Self.make(operation) { try makeStep(operands) })
                case .transfer: try append(index, draft, placement, readsDownload: readsDownload, to: &made)
                case .view: break
                }
            }
            index += 1
        }
        return made
    }

    /// Appends an operation's transfer.
    private func append(
        _ index: Int, _ draft: Draft, _ placement: MemoryPlan, readsDownload: Bool, to made: inout Steps
    ) throws(PlanningError) {
        let operation = draft.operations[index]
        guard let target = operation.transfer?.target, let input = operation.inputs[0] else {
            throw .missingOperand(0)
        }
        let (source, destination) = (placement.operands[input], placement.operands[operation.outputs[0]])
        let transfer = PlannedTransfer(
            to: target, host: target == .device ? source : destination,
            device: target == .device ? destination : source, stagingOffset: made.stagingByteCount)
        guard let transfer else { throw .missingOperand(0) }
        made.steps.append(.init(layer: index, work: .transfer(transfer), readsDownload: readsDownload))
        made.stagingByteCount += (transfer.byteCount + 63) / 64 * 64
    }

    /// The values that transfers bring from the device, and their views.
    private static func downloadedValues(_ draft: Draft, _ placement: MemoryPlan) -> Set<Int> {
        var values: Set<Int> = []
        for operation in draft.operations {
            if operation.transfer?.target == .host {
                values.formUnion(operation.outputs)
            } else if let source = operation.inputs.first ?? nil, values.contains(source) {
                values.formUnion(operation.outputs.filter(placement.views.contains))
            }
        }
        return values
    }

    private static func reads(_ values: Set<Int>, _ operations: Range<Int>, _ draft: Draft) -> Bool {
        guard !values.isEmpty else { return false }
        return draft.operations[operations].contains { $0.inputs.contains { $0.map(values.contains) ?? false } }
    }

    private func step(
        _ chain: StripChain, _ draft: Draft, _ placement: MemoryPlan, _ packedWeights: PackedWeights
    ) throws(PlanningError) -> any Step {
        var stages: [any RowStep] = []
        for index in chain.operations {
            let operation = draft.operations[index]
            guard let stage = operation.candidate.rowStage else { continue }
            let operands = operands(index, draft, placement, packedWeights)
            stages.append(try Self.make(operation) { try stage.makeStep(operands) })
        }
        let first = chain.operations.lowerBound
        let firstOperands = operands(first, draft, placement, packedWeights)
        let lastOperands = operands(chain.operations.upperBound - 1, draft, placement, packedWeights)
        return try Self.make(draft.operations[first]) {
            StripStep(
                chain: chain, stages: stages, input: try firstOperands.input(0), output: lastOperands.outputs[0],
                scratch: firstOperands.scratch)
        }
    }

    private func step(
        _ fusion: ElementwiseFusion, _ draft: Draft, _ placement: MemoryPlan
    ) throws(PlanningError) -> ElementwiseStep {
        let last = draft.operations[fusion.operations.upperBound - 1]
        return try Self.make(last) {
            let inputs = try fusion.inputs.map { value in
                guard let value else { return Operand?.none }
                try placement.operands[value].load()
                return placement.operands[value]
            }
            return try fusion.stage.makeStep(inputs, placement.operands[last.outputs[0]])
        }
    }

    private func operands(
        _ index: Int, _ draft: Draft, _ placement: MemoryPlan, _ packedWeights: PackedWeights
    ) -> StepOperands {
        let operation = draft.operations[index]
        return StepOperands(
            inputs: operation.inputs.map { $0.map { placement.operands[$0] } },
            outputs: operation.outputs.map { placement.operands[$0] },
            scratch: placement.scratch[index], packedWeights: packedWeights)
    }

    private static func make<Made>(
        _ operation: Draft.Operation, _ body: () throws -> Made
    ) throws(PlanningError) -> Made {
        do {
            return try body()
        } catch let error as TensorError {
            throw .tensor(error)
        } catch {
            throw .run(node: operation.node.name, operatorName: operation.node.operatorName, message: "\(error)")
        }
    }
}
