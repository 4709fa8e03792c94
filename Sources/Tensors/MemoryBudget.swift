import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A limit on the bytes that tensors and arenas hold together.
///
/// Every allocation asks its budget first and throws ``TensorError/overBudget(requested:inUse:limit:)`` when the answer
/// is no, so that a file which declares an absurd size becomes an error and not a killed process.
///
/// Safe to use from any thread.
public final class MemoryBudget: Sendable {
    /// The budget of the process: three quarters of physical memory.
    public static let process = MemoryBudget(limit: physicalMemory / 4 * 3)

    private let used = Atomic<Int>(0)
    private let allocations = Atomic<Int>(0)

    /// The most bytes that may be in use at once.
    public let limit: Int

    /// Makes a budget of `limit` bytes.
    public init(limit: Int) {
        self.limit = max(0, limit)
    }

    /// The bytes in use now.
    public var bytesInUse: Int { used.load(ordering: .relaxed) }

    /// How many allocations were granted so far.
    public var allocationCount: Int { allocations.load(ordering: .relaxed) }

    /// Takes bytes that ``release(_:)`` gives back.
    package func reserve(_ byteCount: Int) throws(TensorError) {
        var current = used.load(ordering: .relaxed)
        while true {
            let (sum, overflow) = current.addingReportingOverflow(byteCount)
            guard !overflow, sum <= limit else {
                throw .overBudget(requested: byteCount, inUse: current, limit: limit)
            }
            let (exchanged, original) = used.compareExchange(expected: current, desired: sum, ordering: .relaxed)
            if exchanged { break }
            current = original
        }
        allocations.add(1, ordering: .relaxed)
    }

    package func release(_ byteCount: Int) {
        used.subtract(byteCount, ordering: .relaxed)
    }

    private static var physicalMemory: Int {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        let (bytes, overflow) = pages.multipliedReportingOverflow(by: pageSize)
        return overflow || bytes <= 0 ? 4 << 30 : bytes
    }
}
