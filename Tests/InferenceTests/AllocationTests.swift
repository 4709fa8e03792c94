import AllocationCounting
import Apus
import CPUBackend
import Foundation
import Planning
import Synchronization
import TestSupport
import Testing

@Suite(
    "Allocations of a run",
    .enabled(if: apus_allocations_are_counted(), "a sanitizer has replaced the allocation functions"))
struct AllocationTests {
    /// Counts the heap allocations of the calling thread and of the threads of a pool.
    private final class Counting {
        private let pool: ThreadPool
        private let count = apus_allocation_count_create()
        private let meeting = UnsafeMutablePointer<Meeting>.allocate(capacity: 1)

        init(_ pool: ThreadPool) { self.pool = pool }

        deinit {
            attach(nil)
            apus_allocation_count_destroy(count)
            meeting.deallocate()
        }

        func begin() { attach(count) }
        func end() { attach(nil) }

        var taken: Int { apus_allocation_count_taken(count) }
        var freed: Int { apus_allocation_count_freed(count) }
        var firstSize: Int { apus_allocation_count_first_size(count) }

        /// A job for all threads of the pool. Its pieces wait for one another, so that each thread runs one.
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
            meeting.initialize(to: Meeting(expected: pool.count, count: count))
            pool.run(pool.count, UnsafeRawPointer(meeting)) { context, _, _ in
                let meeting = context.assumingMemoryBound(to: Meeting.self)
                meeting.pointee.arrived.add(1, ordering: .relaxed)
                while meeting.pointee.arrived.load(ordering: .relaxed) < meeting.pointee.expected { sched_yield() }
                apus_allocation_count_attach(meeting.pointee.count)
            }
            meeting.deinitialize(count: 1)
        }
    }

    /// The C library's functions, looked up by name so that the compiler cannot remove calls.
    private enum CLibrary {
        static let malloc = find("malloc", as: (@convention(c) (Int) -> UnsafeMutableRawPointer?).self)
        static let calloc = find("calloc", as: (@convention(c) (Int, Int) -> UnsafeMutableRawPointer?).self)
        static let realloc = find(
            "realloc", as: (@convention(c) (UnsafeMutableRawPointer?, Int) -> UnsafeMutableRawPointer?).self)
        static let alignedAlloc = find(
            "aligned_alloc", as: (@convention(c) (Int, Int) -> UnsafeMutableRawPointer?).self)
        static let free = find("free", as: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)

        private static func find<Function>(_ name: String, as type: Function.Type) -> Function {
            unsafeBitCast(dlsym(nil, name), to: type)
        }
    }

    @Test("The count sees allocations of every kind, on every thread of a pool, and of no other thread")
    func countsAllocations() throws {
        let pool = try #require(ThreadPool(count: 2))
        // Looks the functions up.
        CLibrary.free(CLibrary.malloc(1))
        CLibrary.free(CLibrary.realloc(CLibrary.calloc(1, 1), 2))
        CLibrary.free(CLibrary.alignedAlloc(64, 64))
        func count(_ body: () throws -> Void) rethrows -> (taken: Int, freed: Int, firstSize: Int) {
            let counting = Counting(pool)
            counting.begin()
            try body()
            counting.end()
            return (counting.taken, counting.freed, counting.firstSize)
        }
        #expect(count {} == (0, 0, 0))
        #expect(count { CLibrary.free(CLibrary.malloc(10)) } == (1, 1, 10))
        #expect(count { CLibrary.free(CLibrary.calloc(3, 7)) } == (1, 1, 21))
        #expect(count { CLibrary.free(CLibrary.realloc(CLibrary.malloc(5), 1000)) }.taken == 2)
        #expect(count { CLibrary.free(CLibrary.alignedAlloc(64, 128)) } == (1, 1, 128))
        // An object, its memory by posix_memalign, and the lists of extents.
        #expect(try count { _ = try Tensor(zeros: .float32, shape: [100]) }.taken >= 2)
        let onThreads = count {
            var unused: UInt8 = 0
            pool.run(64, &unused) { _, _, _ in CLibrary.free(CLibrary.malloc(33)) }
        }
        #expect(onThreads == (64, 64, 33))
        CLibrary.free(CLibrary.malloc(10))
        #expect(count {} == (0, 0, 0))
    }

    @Test(
        "The second run of SqueezeNet allocates nothing", arguments: [(1, 1), (1, 3), (2, 1), (2, 3)],
        ProductPrecision.allCases)
    func runsWithoutAllocating(of configuration: (threads: Int, images: Int), _ precision: ProductPrecision) throws {
        let (threads, images) = configuration
        guard precision.isSupported(by: .chosen) else {
            print("Not tested in \(precision.rawValue): this processor does not multiply it")
            return
        }
        let model = try TestedNetworks.squeezeNet()
        let plan = try Planner(backends: [CPUBackend(precision: precision)], threadCount: threads)
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
