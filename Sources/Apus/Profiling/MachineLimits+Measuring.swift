import CPUBackend

extension MachineLimits {
    /// Measures the processor with so many threads side by side: multiply-adds in registers, and reading memory. Takes some
    /// tenths of a second, in which nothing else should run.
    ///
    /// - Throws: ``ApusError/usage(_:)`` for fewer than one thread, ``ApusError/memory(_:)``.
    public static func measured(threads: Int) async throws(ApusError) -> MachineLimits {
        guard threads >= 1 else { throw .usage("the processor is measured with at least one thread") }
        do {
            let executor = try BlockingExecutor(name: "apus-limits", role: .tasks(threadCount: 1))
            return try await executor.run {
                guard let pool = ThreadPool(count: threads) else {
                    throw ApusError.memory("the system could not start \(threads) threads")
                }
                let limits = try ProcessorLimits(pool)
                return MachineLimits(
                    device: "\(ProcessorInformation.modelName), \(InstructionSet.chosen.rawValue)", threads: threads,
                    multiplyAddsPerSecond: limits.multiplyAddsPerSecond, bytesPerSecond: limits.bytesPerSecond)
            }
        } catch {
            throw ApusError(error, model: "the processor's limits")
        }
    }
}
