import Planning

/// The lowerings of the processor's backends; where two expect the same time the earlier is chosen.
enum ProcessorLowerings {
    /// Convolutions and matrix products on SIMD kernels.
    static let simd: [any Lowering] = []

    /// Convolutions and matrix products on OpenBLAS.
    static let openBLAS: [any Lowering] = [
        PointwiseConvolutionLowering(),
        GatheredConvolutionLowering(),
        VectorProductLowering(),
        MatrixProductLowering(),
    ]

    /// What both backends have.
    static let shared: [any Lowering] = [
        ViewLowering(),
        DepthwiseConvolutionLowering(),
        MaxPoolLowering(),
        AveragePoolLowering(),
        GlobalAveragePoolLowering(),
        BatchNormalizationLowering(),
        LocalResponseNormalizationLowering(),
        BinaryLowering(),
        UnaryLowering(),
        SoftmaxLowering(),
        ConcatLowering(),
        SplitLowering(),
        CopyLowering(),
    ]

    /// Every lowering.
    static let all = simd + shared + openBLAS
}
