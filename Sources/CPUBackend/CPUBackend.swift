import CPUKernels
import Planning

/// The processor: OpenBLAS for matrix products, loops in C for the rest, on channels-last activations.
///
/// The output of an image has the same bits at any batch size, position in the batch and thread count: tiles are cut
/// from one image's geometry, and OpenBLAS is always called with the rows of one image.
package struct CPUBackend: Backend {
    /// The vector instructions that the kernels use.
    package let instructionSet: InstructionSet

    /// - Parameter instructionSet: One of ``InstructionSet/available``.
    package init(instructionSet: InstructionSet = .best) {
        self.instructionSet = instructionSet
        lowerings = Self.lowerings(instructionSet)
    }

    package var name: String { "cpu" }

    package var deviceDescription: String { "\(ProcessorInformation.modelName), \(OpenBLAS.configuration)" }

    package let lowerings: [any Lowering]

    /// Every lowering; where two expect the same time the earlier is chosen.
    private static func lowerings(_ instructionSet: InstructionSet) -> [any Lowering] {
        let winograd = WinogradKernel.Kind.allCases.compactMap { WinogradKernel($0, instructionSet) }
        return [ViewLowering()] + winograd.map { WinogradConvolutionLowering(kernel: $0) } + [
            ImplicitGEMMLowering(kernel: GEMMKernel(instructionSet)),
            PointwiseConvolutionLowering(),
            DepthwiseConvolutionLowering(),
            GatheredConvolutionLowering(),
            VectorProductLowering(),
            MatrixProductLowering(),
            MaxPoolLowering(),
            AveragePoolLowering(),
            GlobalAveragePoolLowering(),
            BatchNormalizationLowering(),
            LocalResponseNormalizationLowering(),
            BinaryLowering(),
            UnaryLowering(),
            SoftmaxLowering(),
            ConcatLowering(),
            CopyLowering(),
        ]
    }
}
