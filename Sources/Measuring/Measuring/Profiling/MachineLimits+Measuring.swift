import CPUBackend
import Inference
import OpenCLBackend
import Planning
import Platform

extension MachineLimits {
    /// Measures the processor with a number of concurrent threads: multiply-adds in registers, and reading from memory.
    /// It takes some tenths of a second, in which nothing else should run.
    ///
    /// - Throws: ``ApusError/usage(_:)`` for fewer than one thread, ``ApusError/memory(_:)``.
    public static func measured(threads: Int) async throws(ApusError) -> MachineLimits {
        try await onPool(of: threads) { pool in
            let limits = try ProcessorLimits(pool)
            return MachineLimits(
                device: "\(ProcessorInformation.modelName), \(InstructionSet.chosen.rawValue)", threads: threads,
                multiplyAddsPerSecond: limits.multiplyAddsPerSecond, bytesPerSecond: limits.bytesPerSecond)
        }
    }

    /// Measures on a number of threads of its own.
    private static func onPool<Answer: Sendable>(
        of threads: Int, _ measure: @escaping @Sendable (ThreadPool) throws -> Answer
    ) async throws(ApusError) -> Answer {
        guard threads >= 1 else { throw .usage("the processor is measured with at least one thread") }
        do {
            let executor = try BlockingExecutor(name: "apus-limits", role: .tasks(threadCount: 1))
            return try await executor.run {
                guard let pool = ThreadPool(count: threads) else {
                    throw ApusError.memory("the system could not start \(threads) threads")
                }
                return try measure(pool)
            }
        } catch {
            throw ApusError(error, model: "the processor's limits")
        }
    }

    /// Measures the multiply-adds per second in float32 of every instruction set that this processor has and that has
    /// kernels, by its name. It takes some tenths of a second, in which nothing else should run.
    ///
    /// - Throws: ``ApusError/usage(_:)`` for fewer than one thread, ``ApusError/memory(_:)``.
    public static func measuredPeaks(threads: Int) async throws(ApusError) -> [String: Double] {
        try await onPool(of: threads) { pool in
            Dictionary(
                uniqueKeysWithValues: InstructionSet.available.map { set in
                    (set.rawValue, ProcessorLimits.multiplyAddsPerSecond(pool, set))
                })
        }
    }

    /// Measures the OpenCL device that a session with these options uses. It takes some tenths of a second, in which
    /// nothing else should run.
    ///
    /// - Returns: The limits; nil when the session has no device.
    /// - Throws: ``ApusError/backend(name:message:)`` when the device is missing or fails.
    public static func measured(deviceOf options: Session.Options) async throws(ApusError) -> MachineLimits? {
        let selection = try BackendSelection(options)
        guard let device = selection.backends.lazy.compactMap({ $0.device as? OpenCLDevice }).first else { return nil }
        do {
            let executor = try BlockingExecutor(name: "apus-limits", role: .tasks(threadCount: 1))
            return try await executor.run {
                let limits = try device.measureLimits()
                return MachineLimits(
                    device: device.name, threads: nil, multiplyAddsPerSecond: limits.multiplyAdds,
                    bytesPerSecond: limits.bytes)
            }
        } catch let error as DeviceError {
            throw .backend(name: BackendName.opencl.rawValue, message: "\(error)")
        } catch {
            throw ApusError(error, model: "the device's limits")
        }
    }
}
