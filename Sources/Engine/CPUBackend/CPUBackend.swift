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

    package let workerCacheByteCount: Int

    /// - Parameters:
    ///   - instructionSet: One of ``InstructionSet/available``.
    ///   - precision: One that the instruction set supports; otherwise products are computed in float32.
    ///   - choice: The layers that may be rounded; nil for all.
    ///   - workerCacheByteCount: Bytes of cache that layers run together may use; 0 to run each layer alone.
    package init(
        instructionSet: InstructionSet = .chosen, precision: ProductPrecision = .float32,
        choice: PrecisionChoice? = nil,
        workerCacheByteCount: Int = ProcessorInformation.secondLevelCacheByteCount
    ) {
        self.instructionSet = instructionSet
        self.workerCacheByteCount = workerCacheByteCount
        self.precision = precision
        self.choice = choice
        lowerings = ProcessorLowerings.simd(instructionSet, precision, choice) + ProcessorLowerings.shared
        let name = precision == .float32 ? "cpu" : "cpu in \(precision.rawValue)"
        measurementKey = ProcessorLowerings.measurementKey(name: name, instructionSet)
    }

    package var name: String { "cpu" }

    package var bfloat16Values: BFloat16Values {
        guard precision == .bfloat16 else { return .none }
        return choice?.includesAllLayers ?? true ? .all : .roundedByReaders
    }

    package var deviceDescription: String {
        "\(ProcessorInformation.modelName), \(instructionSet.rawValue)"
    }

    package let lowerings: [any Lowering]

    package let measurementKey: String?
}
