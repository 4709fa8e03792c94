import CPUKernels
import Graphs
import Planning
import Tensors

/// ScatterElements and ScatterND: a copy on all threads, then the updates in their order on one.
struct ScatterLowering: Lowering {
    let name = "scatter"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let reduction: ScatterReduction
        switch request.operation {
        case let scatter as ScatterElements: reduction = scatter.reduction
        case let scatter as ScatterND: reduction = scatter.reduction
        default: return .otherOperator
        }
        guard let runs = IndexedRuns(request), let input = request.inputs[0] else {
            return .decline("the indices are not whole numbers, or have more than 8 axes")
        }
        guard let mode = reduction.kernelMode, mode == APUS_SCATTER_REPLACE || input.elementType == .float32 else {
            return .decline("sums and products, and those of other numbers than float32, are combined in float64")
        }
        guard input.elementCount > 0 else { return .decline("a value is empty") }
        return .accept(
            Candidate(
                microseconds: 1 + Double(runs.count) / 300 + Double(input.byteCount) / 5_000,
                inputLayouts: [.rowMajor, .rowMajor, .rowMajor], outputLayouts: [.rowMajor], readsSlices: false,
                writesSlices: false
            ) { operands in
                let output = operands.outputs[0]
                return ScatterStep(
                    copy: CopyStep(pass: try ElementwisePass(try operands.input(0), nil, output)),
                    indices: try operands.input(1), updates: try operands.input(2), output: output, runs: runs,
                    mode: mode)
            })
    }
}

private struct ScatterStep: Step {
    let copy: CopyStep
    let indices, updates, output: Operand
    let runs: IndexedRuns
    let mode: apus_scatter_mode

    func run(_ context: StepContext) throws {
        copy.run(context)
        var runs = runs.runs
        let fault = apus_scatter_runs(
            &runs, self.runs.indices(indices, context.memory), context.memory.address(updates),
            output.elementType.byteCount, mode, context.memory.mutableAddress(output))
        try fault.check()
    }
}

extension ScatterReduction {
    /// nil for sums and products.
    fileprivate var kernelMode: apus_scatter_mode? {
        switch self {
        case .none: APUS_SCATTER_REPLACE
        case .max: APUS_SCATTER_MAX
        case .min: APUS_SCATTER_MIN
        case .add, .mul: nil
        }
    }
}
