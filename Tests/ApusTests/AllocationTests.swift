import AllocationCounting
import Apus
import CPUBackend
import Foundation
import Planning
import Synchronization
import Testing

@Suite("Allocations of a run")
struct AllocationTests {
    /// Counts what the calling thread and the threads of a pool take from the heap.
    private final class Counting {
        private let pool: ThreadPool
        private let count = apus_allocation_count_create()

        init(_ pool: ThreadPool) { self.pool = pool }

        deinit {
            attach(nil)
            apus_allocation_count_destroy(count)
        }

        func begin() { attach(count) }
        func end() { attach(nil) }

        var taken: Int { apus_allocation_count_taken(count) }
        var freed: Int { apus_allocation_count_freed(count) }
        var firstSize: Int { apus_allocation_count_first_size(count) }

        /// A meeting of all threads of the pool: a job whose pieces wait for one another, so that each thread has one.
        private struct Meeting: ~Copyable {
            let arrived = Atomic<Int>(0)
            let expected: Int
            let count: OpaquePointer?

            init(expected: Int, count: OpaquePointer?) {
                self.expected = expected
                self.count = count
            }
        }

        private func attach(_ count: OpaquePointer?) {
            let meeting = UnsafeMutablePointer<Meeting>.allocate(capacity: 1)
            meeting.initialize(to: Meeting(expected: pool.count, count: count))
            pool.run(pool.count, UnsafeRawPointer(meeting)) { context, _, _ in
                let meeting = context.assumingMemoryBound(to: Meeting.self)
                meeting.pointee.arrived.add(1, ordering: .relaxed)
                while meeting.pointee.arrived.load(ordering: .relaxed) < meeting.pointee.expected { sched_yield() }
                apus_allocation_count_attach(meeting.pointee.count)
            }
            meeting.deinitialize(count: 1)
            meeting.deallocate()
        }
    }

    @Test("The count sees allocations of every kind, on every thread of a pool, and of no other thread")
    func countsAllocations() throws {
        let pool = try #require(ThreadPool(count: 2))
        let counting = Counting(pool)
        counting.begin()
        var block: UnsafeMutableRawPointer?
        free(malloc(10))
        free(calloc(3, 7))
        free(realloc(nil, 9))
        #expect(posix_memalign(&block, 64, 128) == 0)
        free(block)
        free(aligned_alloc(64, 64))
        counting.end()
        let direct = counting.taken
        #expect(direct >= 5)
        #expect(counting.firstSize == 10)
        #expect(counting.freed >= 5)
        free(malloc(10))
        #expect(counting.taken == direct)
        counting.begin()
        var unused: UInt8 = 0
        pool.run(64, &unused) { _, _, _ in free(malloc(33)) }
        let array = [Int](unsafeUninitializedCapacity: 100) { $1 = 100 }
        counting.end()
        #expect(counting.taken >= direct + 65)
        #expect(array.count == 100)
    }

    @Test("The second run of SqueezeNet allocates nothing", arguments: [1, 2], [1, 3])
    func runsWithoutAllocating(threads: Int, images: Int) throws {
        let model = try TestedNetworks.squeezeNet()
        let plan = try Planner(backends: [CPUBackend()], threadCount: threads)
            .plan(model.graph, inputShapes: [[images, 3, 227, 227]], packedWeights: PackedWeights())
        let pool = try #require(ThreadPool(count: threads))
        let execution = Execution(workers: pool)
        let input = try Tensor.random([images, 3, 227, 227], seed: 1)
        let output = try Tensor(zeros: .float32, shape: [images, 1000])
        let counting = Counting(pool)
        let sources = [UnsafeRawPointer(input.firstElement)]
        let destinations = [output.firstElement]
        try sources.withUnsafeBufferPointer { sources in
            try destinations.withUnsafeBufferPointer { destinations in
                try execution.run(plan, inputs: sources, into: destinations)
                counting.begin()
                for _ in 0..<3 { try execution.run(plan, inputs: sources, into: destinations) }
                counting.end()
            }
        }
        #expect(counting.taken == 0, "the first block has \(counting.firstSize) bytes")
        #expect(counting.freed == 0)
        let sum = output.elements(as: Float.self).reduce(0, +)
        #expect(abs(sum - Float(images)) < 1e-3)
        withExtendedLifetime(input) {}
    }
}
