import Planning

/// The processor: Apus's own kernels, on channels-last activations.
///
/// The output of an image has the same bits at any batch size, position in the batch and thread count: each element is
/// a sum in an order that its own layer alone determines.
package struct CPUBackend: Backend {
    /// The vector instructions that the kernels use.
    package let instructionSet: InstructionSet

    package let workerCacheByteCount: Int

    /// - Parameters:
    ///   - instructionSet: One of ``InstructionSet/available``.
    ///   - workerCacheByteCount: Bytes of cache that layers run together may use; 0 to run each layer alone.
    package init(
        instructionSet: InstructionSet = .chosen,
        workerCacheByteCount: Int = ProcessorInformation.secondLevelCacheByteCount
    ) {
        self.instructionSet = instructionSet
        self.workerCacheByteCount = workerCacheByteCount
        lowerings = ProcessorLowerings.simd(instructionSet) + ProcessorLowerings.shared
        measurementKey = ProcessorLowerings.measurementKey(name: "cpu", instructionSet)
    }

    package var name: String { "cpu" }

    package var deviceDescription: String {
        "\(ProcessorInformation.modelName), \(instructionSet.rawValue)"
    }

    package let lowerings: [any Lowering]

    package let measurementKey: String?
}
