import CPUKernels
import Graphs
import Planning
import Tensors

/// A 2-D convolution of 8-bit integers with 3×3 taps and stride 1, by Winograd's minimal filtering with exact sums.
struct IntegerWinogradLowering: Lowering {
    let name = "integer-winograd-4x4"
    let instructionSet: InstructionSet

    /// The limit that sums without their bias must not reach.
    private static let sumLimit = 1 << 25

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: IntegerConvolutionRequest
        do { convolution = try request.specialized() } catch { return error.answer }
        let (operation, geometry) = (convolution.operation, convolution.geometry)
        guard operation.convolution.group == 1 else { return .decline("\(operation.convolution.group) groups") }
        guard geometry.kernel == [3, 3] else { return .decline("the kernel is not 3×3") }
        guard geometry.strides == [1, 1] else { return .decline("strides are not 1") }
        guard geometry.dilations == [1, 1] else { return .decline("dilations are not 1") }
        guard largestSum(convolution) < Self.sumLimit else { return .decline("sums may exceed 25 bits") }
        let kernel = IntegerKernel(
            instructionSet,
            multipliesBytes: IntegerKernel.fitsBytes(
                convolution.weights.elementType, zeroPoint: operation.weightZeroPoint))
        let product = IntegerProduct(
            tilesFor: kernel, geometry, inputShape: convolution.input.shape, columns: convolution.weights.shape[0],
            threadCount: request.threadCount)
        guard let product else { return .decline("no kernel for products of bytes on \(instructionSet)") }
        return .accept(
            Candidate(
                microseconds: product.microseconds, inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                scratchByteCount: product.scratchByteCount
            ) { try IntegerConvolutionStep(convolution, product, $0) })
    }

    /// The maximum sum of a column for any input.
    private func largestSum(_ convolution: IntegerConvolutionRequest) -> Int {
        guard let weights = try? convolution.weights.contiguous() else { return .max }
        let zeroPoint = Int64(convolution.operation.inputZeroPoint)
        let range: ClosedRange<Int64> = convolution.input.elementType == .int8 ? -128...127 : 0...255
        var factor = apus_integer_weights(weights, zeroPoint: convolution.operation.weightZeroPoint)
        // Padding counts as 0, since sums are of differences from the zero point.
        return withExtendedLifetime(weights) {
            Int(apus_largest_sum(&factor, min(range.lowerBound - zeroPoint, 0), max(range.upperBound - zeroPoint, 0)))
        }
    }
}
