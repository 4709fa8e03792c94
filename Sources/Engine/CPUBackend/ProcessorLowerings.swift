import Planning

/// The lowerings of the processor's backends; where two expect the same time, the earlier is chosen.
enum ProcessorLowerings {
    /// Convolutions and matrix products on SIMD kernels.
    ///
    /// - Parameters:
    ///   - refusal: Why nothing is computed in the precision; nil where it is. Weights are then rounded where reading
    ///     them takes longest.
    ///   - gain: How many times as fast as in float32 the precision is.
    static func simd(
        _ instructionSet: InstructionSet, _ precision: ProductPrecision, _ choice: PrecisionChoice?, refusal: String?,
        gain: Double
    ) -> [any Lowering] {
        var rounding = rounding(instructionSet, precision, gain)
        if let refusal {
            rounding =
                rounding.map { RefusedLowering(lowering: $0, reason: refusal) }
                + self.rounding(instructionSet, precision.ofWeights, 1)
        }
        let chosen = choice.map { choice in
            rounding.map { ChosenRoundingLowering(lowering: $0, choice: choice) as any Lowering }
        }
        let writesBFloat16 = precision == .bfloat16 && refusal == nil
        return (chosen ?? rounding) + floats(instructionSet, writesBFloat16: writesBFloat16)
    }

    /// Convolutions and matrix products of rounded numbers.
    private static func rounding(
        _ instructionSet: InstructionSet, _ precision: ProductPrecision, _ gain: Double
    ) -> [any Lowering] {
        switch precision {
        case .float32: return []
        case .bfloat16:
            guard let kernel = GEMMKernel(bfloat16: instructionSet, gain: gain) else { return [] }
            return [
                ImplicitGEMMLowering(kernel: kernel),
                InterleavedGEMMLowering(kernel: kernel, writesBFloat16: true),
                PackedGEMMLowering(kernel: kernel), AttentionLowering(kernel: kernel),
            ]
        case .float16, .emulatedFloat16:
            guard let kernel = GEMMKernel(float16: precision, instructionSet, gain: gain) else { return [] }
            return [
                ImplicitGEMMLowering(kernel: kernel),
                InterleavedGEMMLowering(kernel: kernel, writesBFloat16: false),
                PackedGEMMLowering(kernel: kernel),
            ]
        case .bfloat16Weights, .float16Weights:
            guard let kernel = GEMMKernel(weightsIn: precision, instructionSet) else { return [] }
            return [ImplicitGEMMLowering(kernel: kernel), PackedGEMMLowering(kernel: kernel)]
        }
    }

    /// - Parameter writesBFloat16: Whether values between steps may be stored in bfloat16.
    private static func floats(_ instructionSet: InstructionSet, writesBFloat16: Bool) -> [any Lowering] {
        let gemm = GEMMKernel(instructionSet)
        let winograd = WinogradKernel.Kind.allCases.compactMap { WinogradKernel($0, instructionSet) }
        return winograd.map { WinogradConvolutionLowering(kernel: $0) } + [
            ImplicitGEMMLowering(kernel: gemm),
            InterleavedWinogradLowering(winograd, writesBFloat16: writesBFloat16),
            InterleavedGEMMLowering(kernel: gemm, writesBFloat16: writesBFloat16),
            PackedGEMMLowering(kernel: gemm),
            AttentionLowering(kernel: gemm),
            VolumeConvolutionLowering(routine: .kernel(gemm)),
            VectorProductLowering(routine: .kernel(gemm)),
            MatrixProductLowering(routine: .kernel(gemm)),
            RecurrenceLowering(kernel: gemm),
            IntegerWinogradLowering(instructionSet: instructionSet),
            IntegerGEMMLowering(instructionSet: instructionSet),
            IntegerSumLowering(instructionSet: instructionSet),
            QuantizedProductLowering(instructionSet: instructionSet),
            NibbleProductLowering(kernel: NibbleKernel(instructionSet)),
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
    static func openBLAS(_ library: OpenBLAS) -> [any Lowering] {
        [
            PointwiseConvolutionLowering(openBLAS: library),
            GatheredConvolutionLowering(openBLAS: library),
            VolumeConvolutionLowering(routine: .openBLAS(library)),
            VectorProductLowering(routine: .openBLAS(library)),
            MatrixAttentionLowering(openBLAS: library),
            MatrixProductLowering(routine: .openBLAS(library)),
        ]
    }

    /// The lowerings that both backends have.
    static let shared: [any Lowering] = [
        ViewLowering(),
        PlanarPointwiseLowering(),
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
        PlanarResizeLowering(),
        GridSampleLowering(),
        RoiAlignLowering(),
        RearrangementLowering(),
        GatherLowering(),
        ScatterLowering(),
        PadLowering(),
        ConcatLowering(),
        SplitLowering(),
        CopyLowering(),
    ]

    /// Incremented when kernels or lowerings change their speed, so that times measured before no longer count.
    private static let kernelVersion = 22

    /// Identifies what measured times hold for.
    static func measurementKey(name: String, _ instructionSet: InstructionSet) -> String {
        "\(name), kernels \(kernelVersion), \(instructionSet), \(ProcessorInformation.modelName)"
    }
}
