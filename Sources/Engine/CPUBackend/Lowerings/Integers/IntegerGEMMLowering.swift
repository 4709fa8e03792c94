import CPUKernels
import Graphs
import Planning
import Tensors

/// A 2-D convolution of 8-bit integers as a product of patches with packed weights. Some input rows at a time are
/// widened, and patches are runs of elements of those.
struct IntegerGEMMLowering: Lowering {
    let name = "integer-gemm"
    let instructionSet: InstructionSet

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: IntegerConvolutionRequest
        do { convolution = try request.specialized() } catch { return error.answer }
        let operation = convolution.operation
        guard operation.convolution.group == 1 else { return .decline("\(operation.convolution.group) groups") }
        let kernel = IntegerKernel(
            instructionSet,
            multipliesBytes: IntegerKernel.fitsBytes(
                convolution.weights.elementType, zeroPoint: operation.weightZeroPoint))
        let product = IntegerProduct(
            kernel, convolution.geometry, inputShape: convolution.input.shape, columns: convolution.weights.shape[0],
            threadCount: request.threadCount)
        guard let product else { return .decline("rows do not fit in scratch memory") }
        return .accept(
            Candidate(
                microseconds: product.microseconds, inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                scratchByteCount: product.scratchByteCount
            ) { try IntegerConvolutionStep(convolution, product, $0) })
    }
}
