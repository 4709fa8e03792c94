import CPUKernels
import Planning

/// The processor: OpenBLAS for matrix products, loops in C for the rest, on channels-last activations.
///
/// The output of an image has the same bits at any batch size, position in the batch and thread count: tiles are cut
/// from one image's geometry, and OpenBLAS is always called with the rows of one image.
package struct CPUBackend: Backend {
    /// The vector instructions that the kernels use.
    package let instructionSet: InstructionSet

    package let workerCacheByteCount: Int

    /// - Parameters:
    ///   - instructionSet: One of ``InstructionSet/available``.
    ///   - workerCacheByteCount: Bytes that layers run together may keep; 0 to run each layer by itself.
    package init(
        instructionSet: InstructionSet = .best,
        workerCacheByteCount: Int = ProcessorInformation.secondLevelCacheByteCount
    ) {
        self.instructionSet = instructionSet
        self.workerCacheByteCount = workerCacheByteCount
        lowerings = Self.lowerings(GEMMKernel(instructionSet))
    }

    package var name: String { "cpu" }

    package var deviceDescription: String { "\(ProcessorInformation.modelName), \(OpenBLAS.configuration)" }

    package let lowerings: [any Lowering]

    /// Every lowering; where two expect the same time the earlier is chosen.
    private static func lowerings(_ gemm: GEMMKernel) -> [any Lowering] {
        [
            ViewLowering(),
            ImplicitGEMMLowering(kernel: gemm),
            InterleavedGEMMLowering(kernel: gemm),
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
