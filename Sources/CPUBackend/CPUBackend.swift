import CPUKernels
import Planning

/// The processor: OpenBLAS for matrix products, loops in C for the rest, on channels-last activations.
///
/// The output of an image has the same bits at any batch size, position in the batch and thread count: tiles are cut
/// from one image's geometry, and OpenBLAS is always called with the rows of one image.
package struct CPUBackend: Backend {
    package init() {}

    package var name: String { "cpu" }

    package var deviceDescription: String { "\(ProcessorInformation.modelName), \(OpenBLAS.configuration)" }

    package var lowerings: [any Lowering] { Self.all }

    /// Every lowering; where two expect the same time the earlier is chosen.
    private static let all: [any Lowering] = [
        ViewLowering(),
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
