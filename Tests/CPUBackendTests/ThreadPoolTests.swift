import CPUBackend
import Foundation
import Planning
import Synchronization
import Testing

@Suite("The thread pool", .serialized)
struct ThreadPoolTests {
    /// Counts the calls for each index of a job, and records whether a thread number was out of range.
    private final class Tally: Sendable {
        let calls: [Counter]
        let strays = Counter()
        let threadCount: Int

        /// A number that many threads add to.
        final class Counter: Sendable {
            let value = Atomic<Int>(0)
        }

        init(count: Int, threadCount: Int) {
            calls = (0..<count).map { _ in Counter() }
            self.threadCount = threadCount
        }

        func run(on pool: ThreadPool, _ count: Int) {
            pool.run(count, UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())) { context, index, thread in
                let tally = Unmanaged<Tally>.fromOpaque(context).takeUnretainedValue()
                tally.calls[index].value.add(1, ordering: .relaxed)
                if !(0..<tally.threadCount).contains(thread) { tally.strays.value.add(1, ordering: .relaxed) }
            }
        }

        var counts: [Int] { calls.map { $0.value.load(ordering: .relaxed) } }
    }

    @Test("Every index of every job is called exactly once before the job returns", arguments: 1...8)
    func callsEveryIndexOnce(threadCount: Int) throws {
        let pool = try #require(ThreadPool(count: threadCount))
        let tally = Tally(count: 40, threadCount: threadCount)
        var expected = [Int](repeating: 0, count: 40)
        var isRight = true
        for job in 0..<3000 {
            let count = job % 41
            tally.run(on: pool, count)
            for index in 0..<count { expected[index] += 1 }
            isRight = isRight && tally.counts == expected
        }
        #expect(isRight)
        #expect(tally.counts == expected)
        #expect(tally.strays.value.load(ordering: .relaxed) == 0)
    }

    @Test("A job says when each thread was at work on it", arguments: 1...4)
    func recordsSpans(threadCount: Int) throws {
        let pool = try #require(ThreadPool(count: threadCount))
        #expect(MemoryLayout<WorkSpan>.size == 64)
        var spans = [WorkSpan](repeating: WorkSpan(), count: threadCount)
        for count in [0, 1, 3, 1000] {
            var unused: UInt8 = 0
            let start = MonotonicTime.now
            pool.run(count, &unused, { _, _, _ in usleep(1) }, &spans)
            let end = MonotonicTime.now
            #expect(spans.reduce(0) { $0 + Int($1.pieceCount) } == count)
            for span in spans where span.pieceCount > 0 {
                #expect(start <= span.start && span.start < span.end && span.end <= end)
            }
        }
    }

    @Test("Workers that fell asleep between jobs wake up")
    func wakesWorkers() throws {
        let pool = try #require(ThreadPool(count: 4))
        let tally = Tally(count: 16, threadCount: 4)
        for _ in 0..<40 {
            tally.run(on: pool, 16)
            usleep(1500)
        }
        #expect(tally.counts == [Int](repeating: 40, count: 16))
    }

    @Test("Several pools work side by side")
    func worksSideBySide() async throws {
        let pools = try (1...4).map { try #require(ThreadPool(count: $0)) }
        let tallies = pools.map { Tally(count: 24, threadCount: $0.count) }
        await withTaskGroup(of: Void.self) { group in
            for (pool, tally) in zip(pools, tallies) {
                group.addTask { for _ in 0..<2000 { tally.run(on: pool, 24) } }
            }
        }
        for tally in tallies { #expect(tally.counts == [Int](repeating: 2000, count: 24)) }
    }

    @Test("Pools start and end many times")
    func startsAndEnds() throws {
        for round in 0..<100 {
            let pool = try #require(ThreadPool(count: 1 + round % 5))
            let tally = Tally(count: 7, threadCount: pool.count)
            if round % 3 != 0 { tally.run(on: pool, 7) }
            #expect(tally.counts == [Int](repeating: round % 3 == 0 ? 0 : 1, count: 7))
        }
    }

    @Test("Numbers of threads that make no sense are refused", arguments: [0, -1, 1025])
    func refusesCounts(count: Int) {
        #expect(ThreadPool(count: count) == nil)
    }

    @Test("The threads of an idle pool use no processor time")
    func sleepsWhenIdle() throws {
        let pool = try #require(ThreadPool(count: 4))
        let registry = ThreadRegistry()
        // Pieces wait briefly, so that one thread cannot take them all.
        for _ in 0..<20_000 where registry.threads.withLock(\.count) < 4 {
            pool.run(16, UnsafeRawPointer(Unmanaged.passUnretained(registry).toOpaque())) { context, _, _ in
                let registry = Unmanaged<ThreadRegistry>.fromOpaque(context).takeUnretainedValue()
                registry.threads.withLock { _ = $0.insert(pthread_self()) }
                usleep(500)
            }
        }
        let workers = registry.threads.withLock { $0 }.subtracting([pthread_self()])
        #expect(workers.count == 3)
        usleep(50_000)
        let before = workers.map(processorSeconds)
        usleep(300_000)
        let after = workers.map(processorSeconds)
        #expect(before.allSatisfy { $0 > 0 })
        #expect(after.reduce(0, +) - before.reduce(0, +) < 0.05)
        withExtendedLifetime(pool) {}
    }
}

/// The threads that took part in a job.
private final class ThreadRegistry: Sendable {
    let threads = Mutex<Set<pthread_t>>([])
}

/// The processor time that a thread of this process has used.
private func processorSeconds(of thread: pthread_t) -> Double {
    var clock = clockid_t()
    var time = timespec()
    guard pthread_getcpuclockid(thread, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
