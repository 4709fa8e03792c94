import CPUKernels
import Graphs
import Planning
import Tensors

/// InstanceNormalization: every channel of every image is a piece of work.
struct InstanceNormalizationLowering: Lowering {
    let name = "plane-normalization"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let normalization = request.operation as? InstanceNormalization else {
            return .otherOperator
        }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        guard let scale = request.constants[1], let bias = request.constants[2] else {
            return .decline("scale or bias are computed at run time")
        }
        let cost = Speed.microseconds(
            OperatorCost(multiplyAdds: request.outputs[0].elementCount, bytes: request.cost.bytes),
            multiplyAddsPerMicrosecond: 4_000, threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: [.rowMajor], outputLayouts: [.rowMajor], readsSlices: false,
                writesSlices: false
            ) { operands in
                InstanceNormalizationStep(
                    input: try operands.input(0), output: operands.outputs[0], scale: try scale.contiguous(),
                    bias: try bias.contiguous(), epsilon: normalization.epsilon)
            })
    }
}

private struct InstanceNormalizationStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let scale: UnsafePointer<Float>
        let bias: UnsafePointer<Float>
        let epsilon: Float
        let channels: Int
        let area: Int
    }

    let input: Operand
    let output: Operand
    let scale: Tensor
    let bias: Tensor
    let epsilon: Float

    func run(_ context: StepContext) {
        let planes = output.shape[0] * output.shape[1]
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableFloats(output), scale: scale.floats,
            bias: bias.floats, epsilon: epsilon, channels: output.shape[1], area: output.elementCount / planes)
        context.workers.run(planes, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let channel = index % it.channels
            apus_normalize_plane(
                it.input + index * it.area, it.area, it.epsilon, it.scale[channel], it.bias[channel],
                it.output + index * it.area)
        }
    }
}
