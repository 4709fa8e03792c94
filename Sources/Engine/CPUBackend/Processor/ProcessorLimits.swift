import CPUKernels
import Glibc
import Planning
import Synchronization
import Tensors

/// The measured maximum speed of a number of the processor's threads.
package struct ProcessorLimits: Sendable {
    /// Multiply-adds in registers per second.
    package let multiplyAddsPerSecond: Double
    /// Bytes per second read from memory that is in no cache.
    package let bytesPerSecond: Double

    private static let (arithmeticRounds, memoryRounds) = (3, 6)
    private static let (minimumBytes, maximumBytes) = (64 << 20, 256 << 20)
    private static let pieceByteCount = 256 * 1024

    /// Measures for some tenths of a second, with memory allocated for that time.
    package init(_ pool: ThreadPool) throws(TensorError) {
        multiplyAddsPerSecond = Self.multiplyAddsPerSecond(pool, .chosen)
        bytesPerSecond = try Self.bytesPerSecond(pool)
    }

    /// Pieces that all begin at the same time, one on each thread.
    private struct Arithmetic: ~Copyable {
        let arrived = Atomic<Int>(0)
        let threadCount: Int
        let instructions: apus_instructions
        /// Multiply-adds per microsecond, by piece.
        let rates: UnsafeMutablePointer<Double>

        init(_ pool: ThreadPool, _ instructions: InstructionSet, rates: UnsafeMutablePointer<Double>) {
            threadCount = pool.count
            self.instructions = instructions.cValue
            self.rates = rates
        }
    }

    /// Measures the multiply-adds in float32 of an instruction set that the processor has, for some hundredths of a
    /// second.
    package static func multiplyAddsPerSecond(_ pool: ThreadPool, _ instructions: InstructionSet) -> Double {
        let rates = UnsafeMutablePointer<Double>.allocate(capacity: pool.count)
        rates.initialize(repeating: 0, count: pool.count)
        defer { rates.deallocate() }
        var best = 0.0
        for _ in 0..<arithmeticRounds {
            var work = Arithmetic(pool, instructions, rates: rates)
            withUnsafePointer(to: &work) { context in
                pool.run(pool.count, UnsafeRawPointer(context)) { context, piece, _ in
                    let work = context.assumingMemoryBound(to: Arithmetic.self)
                    work.pointee.arrived.add(1, ordering: .relaxed)
                    // No thread takes a second piece before all have one.
                    while work.pointee.arrived.load(ordering: .relaxed) < work.pointee.threadCount { sched_yield() }
                    work.pointee.rates[piece] = apus_processor_multiply_adds_per_microsecond(
                        work.pointee.instructions)
                }
            }
            best = max(best, UnsafeBufferPointer(start: rates, count: pool.count).reduce(0, +))
        }
        return 1e6 * best
    }

    private struct Reading: BitwiseCopyable {
        let memory: UnsafeMutableRawPointer
        /// One sum per piece, so that the compiler leaves out no reads.
        let sums: UnsafeMutablePointer<UInt64>
    }

    /// As much memory as the budget gives, halved down to ``minimumBytes``. Whether a process may have so much must not
    /// depend on the size of its processor's caches.
    private static func memory(atMost byteCount: Int) throws(TensorError) -> Storage {
        var byteCount = byteCount
        while true {
            do {
                return try Storage(byteCount: byteCount, zeroed: false)
            } catch {
                guard byteCount / 2 >= minimumBytes else { throw error }
                byteCount = byteCount / 2 / pieceByteCount * pieceByteCount
            }
        }
    }

    private static func bytesPerSecond(_ pool: ThreadPool) throws(TensorError) -> Double {
        // Four times the size of the largest cache.
        let wanted = 4 * max(ProcessorInformation.lastLevelCacheByteCount, minimumBytes / 4)
        let memory = try memory(atMost: min(wanted, maximumBytes))
        let pieceCount = memory.byteCount / pieceByteCount
        let sums = try Storage(byteCount: pieceCount * MemoryLayout<UInt64>.size, zeroed: false)
        let reading = Reading(
            memory: memory.base, sums: sums.base.bindMemory(to: UInt64.self, capacity: pieceCount))
        // Memory that was never written maps to one page of zeros, which stays in the cache.
        pool.run(pieceCount, reading) { context, piece, _ in
            let reading = context.load(as: Reading.self)
            let start = reading.memory + piece * ProcessorLimits.pieceByteCount
            start.initializeMemory(as: UInt8.self, repeating: 1, count: ProcessorLimits.pieceByteCount)
        }
        var best = Double.infinity
        for _ in 0..<memoryRounds {
            let start = MonotonicTime.now
            pool.run(pieceCount, reading) { context, piece, _ in
                let reading = context.load(as: Reading.self)
                reading.sums[piece] = apus_processor_read(
                    reading.memory + piece * ProcessorLimits.pieceByteCount, ProcessorLimits.pieceByteCount)
            }
            best = min(best, MonotonicTime.seconds(since: start))
        }
        withExtendedLifetime((memory, sums)) {}
        return Double(pieceCount * pieceByteCount) / best
    }
}
