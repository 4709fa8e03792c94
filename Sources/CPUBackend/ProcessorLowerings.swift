import Planning

/// The lowerings of the processor's backends; where two expect the same time, the earlier is chosen.
enum ProcessorLowerings {
    /// Convolutions and matrix products on SIMD kernels.
    static func simd(_ instructionSet: InstructionSet) -> [any Lowering] {
        let gemm = GEMMKernel(instructionSet)
        let winograd = WinogradKernel.Kind.allCases.compactMap { WinogradKernel($0, instructionSet) }
        return winograd.map { WinogradConvolutionLowering(kernel: $0) } + [
            ImplicitGEMMLowering(kernel: gemm),
            InterleavedWinogradLowering(winograd),
            InterleavedGEMMLowering(kernel: gemm),
            PackedGEMMLowering(kernel: gemm),
            AttentionLowering(kernel: gemm),
            RecurrenceLowering(kernel: gemm),
            IntegerWinogradLowering(instructionSet: instructionSet),
            IntegerGEMMLowering(instructionSet: instructionSet),
            IntegerSumLowering(instructionSet: instructionSet),
            IntegerDepthwiseLowering(instructionSet: instructionSet),
            IntegerAddLowering(instructionSet: instructionSet),
            LookupLowering(),
            QuantizationLowering(),
            DequantizationLowering(),
            DynamicQuantizationLowering(),
            IntegerPoolLowering(),
            IntegerMeanLowering(),
            IntegerResizeLowering(),
        ]
    }

    /// Convolutions and matrix products on OpenBLAS.
    static let openBLAS: [any Lowering] = [
        PointwiseConvolutionLowering(),
        GatheredConvolutionLowering(),
        VolumeConvolutionLowering(),
        VectorProductLowering(),
        MatrixAttentionLowering(),
        MatrixProductLowering(),
    ]

    /// The lowerings that both backends have.
    static let shared: [any Lowering] = [
        ViewLowering(),
        DepthwiseConvolutionLowering(),
        GroupedConvolutionLowering(),
        MaxPoolLowering(),
        AveragePoolLowering(),
        GlobalAveragePoolLowering(),
        BatchNormalizationLowering(),
        LocalResponseNormalizationLowering(),
        BinaryLowering(),
        UnaryLowering(),
        RelationLowering(),
        WhereLowering(),
        CastLowering(),
        SoftmaxLowering(),
        RowNormalizationLowering(),
        InstanceNormalizationLowering(),
        ReductionLowering(),
        SearchLowering(),
        TopKLowering(),
        RunningFoldLowering(),
        ResizeLowering(),
        GridSampleLowering(),
        RoiAlignLowering(),
        SelectionLowering(),
        PadLowering(),
        BlockLowering(),
        ConcatLowering(),
        SplitLowering(),
        CopyLowering(),
    ]

    /// Every lowering.
    static func all(_ instructionSet: InstructionSet) -> [any Lowering] {
        simd(instructionSet) + shared + openBLAS
    }

    /// Incremented when kernels or lowerings change their speed, so that times measured before no longer count.
    private static let kernelVersion = 15

    /// Identifies what measured times hold for.
    static func measurementKey(name: String, _ instructionSet: InstructionSet) -> String {
        "\(name), kernels \(kernelVersion), \(instructionSet), \(ProcessorInformation.modelName), "
            + OpenBLAS.configuration
    }
}
