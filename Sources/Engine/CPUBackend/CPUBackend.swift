import Planning

/// The processor: Apus's own kernels, on channels-last activations.
///
/// The output of an image has the same bits at any batch size, position in the batch and thread count: each element is
/// a sum in an order that its own layer alone determines.
package struct CPUBackend: Backend {
    /// The vector instructions that the kernels use.
    package let instructionSet: InstructionSet

    /// What rows and weights of products are rounded to.
    package let precision: ProductPrecision

    /// The layers that are rounded; nil for all.
    package let choice: PrecisionChoice?

    /// How much faster the precision is than float32. Where it is not, products stay in float32, and weights alone are
    /// rounded.
    package let roundingGain: RoundingGain

    /// Why products are computed in float32 although another precision was asked for; nil where they are not.
    package let roundingRefusal: String?

    package let workerCacheByteCount: Int

    /// - Parameters:
    ///   - instructionSet: One of ``InstructionSet/available``.
    ///   - precision: One that the instruction set supports; otherwise products are computed in float32.
    ///   - choice: The layers that may be rounded; nil for all.
    ///   - roundingGain: How much faster the precision is than float32.
    ///   - workerCacheByteCount: Bytes of cache that layers run together may use; 0 to run each layer alone.
    package init(
        instructionSet: InstructionSet = .chosen, precision: ProductPrecision = .float32,
        choice: PrecisionChoice? = nil, roundingGain: RoundingGain = .expected,
        workerCacheByteCount: Int = ProcessorInformation.secondLevelCacheByteCount
    ) {
        self.instructionSet = instructionSet
        self.workerCacheByteCount = workerCacheByteCount
        self.precision = precision
        self.choice = choice
        self.roundingGain = roundingGain
        let gain = roundingGain.factor(of: precision, instructionSet)
        let isSlow = precision != precision.ofWeights && gain <= 1
        let rate = gain < 1 ? "\(Int((gain * 100).rounded())) % of the rate" : "the rate"
        roundingRefusal = isSlow ? "this processor multiplies \(precision.rawValue) at \(rate) of float32" : nil
        lowerings =
            ProcessorLowerings.simd(instructionSet, precision, choice, refusal: roundingRefusal, gain: gain)
            + ProcessorLowerings.shared
        let name = precision == .float32 ? "cpu" : "cpu in \(precision.rawValue)"
        measurementKey = ProcessorLowerings.measurementKey(name: name, instructionSet)
    }

    package var name: String { "cpu" }

    /// What rows or weights are rounded to, where ``roundingRefusal`` lets them be.
    package var arithmetic: ProductPrecision { roundingRefusal == nil ? precision : precision.ofWeights }

    /// The precision of 16 bits in which this processor multiplies fastest: float16 where it is faster in it than in
    /// bfloat16, which loses more digits and has a wider range.
    package static let fastestPrecision: ProductPrecision = {
        guard ProductPrecision.float16.isSupported(by: .chosen) else { return .bfloat16 }
        guard ProductPrecision.bfloat16.isSupported(by: .chosen) else { return .float16 }
        func gain(_ precision: ProductPrecision) -> Double { RoundingGain.ofProcessor.factor(of: precision, .chosen) }
        return gain(.bfloat16) < gain(.float16) ? .float16 : .bfloat16
    }()

    package var bfloat16Values: BFloat16Values {
        guard precision == .bfloat16, roundingRefusal == nil else { return .none }
        return choice?.includesAllLayers ?? true ? .all : .roundedByReaders
    }

    package var deviceDescription: String {
        "\(ProcessorInformation.modelName), \(instructionSet.rawValue)"
    }

    package let lowerings: [any Lowering]

    package let measurementKey: String?
}
