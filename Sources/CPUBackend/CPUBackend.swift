import Planning

/// The processor: SIMD kernels and OpenBLAS together, on channels-last activations.
///
/// The output of an image has the same bits at any batch size, position in the batch and thread count: tiles are cut
/// from one image's geometry, and OpenBLAS is always called with the rows of one image.
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
        lowerings = ProcessorLowerings.all(instructionSet)
        measurementKey = ProcessorLowerings.measurementKey(name: "cpu", instructionSet)
    }

    package var name: String { "cpu" }

    package var deviceDescription: String {
        "\(ProcessorInformation.modelName), \(instructionSet.rawValue), \(OpenBLAS.configuration)"
    }

    package let lowerings: [any Lowering]

    package let measurementKey: String?
}

/// The processor with OpenBLAS for every matrix product, and the SIMD kernels for everything else.
///
/// It gives the same guarantees as ``CPUBackend``.
package struct OpenBLASBackend: Backend {
    package init() {}

    package var name: String { "openblas" }

    package var deviceDescription: String { OpenBLAS.configuration }

    package var lowerings: [any Lowering] { ProcessorLowerings.shared + ProcessorLowerings.openBLAS }

    package let measurementKey: String? = ProcessorLowerings.measurementKey(name: "openblas", .chosen)
}
