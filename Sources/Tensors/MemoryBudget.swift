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
    /// The budget of the process: three quarters of physical memory, unless ``limit`` or ``restrict(to:)`` say otherwise.
    public static let process = MemoryBudget(limit: largestLimit)

    private let used = Atomic<Int>(0)
    private let allocations = Atomic<Int>(0)
    private let currentLimit: Atomic<Int>
    private let earning = Atomic<Bool>(false)

    /// For each byte of a file as many may be in use: what was read, its rearranged form, and what both are made from.
    private static let earnedPerFileByte = 4

    /// The most bytes that may be in use at once.
    ///
    /// A lower limit takes nothing away from those who have it already.
    public var limit: Int {
        get { currentLimit.load(ordering: .relaxed) }
        set {
            earning.store(false, ordering: .relaxed)
            currentLimit.store(max(0, newValue), ordering: .relaxed)
        }
    }

    /// Makes a budget of `limit` bytes.
    public init(limit: Int) {
        currentLimit = Atomic(max(0, limit))
    }

    /// Sets a limit that grows with the files that are read, up to three quarters of physical memory: weights are large
    /// because files are, but a few bytes of a file cannot ask for much.
    public func restrict(to byteCount: Int) {
        limit = min(byteCount, Self.largestLimit)
        earning.store(true, ordering: .relaxed)
    }

    /// Notes that a file of `byteCount` bytes is read.
    package func earn(fileByteCount byteCount: Int) {
        guard earning.load(ordering: .relaxed), byteCount > 0 else { return }
        let (earned, overflow) = byteCount.multipliedReportingOverflow(by: Self.earnedPerFileByte)
        let current = limit
        let raised = overflow || earned > Self.largestLimit - current ? Self.largestLimit : current + earned
        currentLimit.store(max(current, raised), ordering: .relaxed)
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

    private static var largestLimit: Int { physicalMemory / 4 * 3 }

    private static var physicalMemory: Int {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        let (bytes, overflow) = pages.multipliedReportingOverflow(by: pageSize)
        return overflow || bytes <= 0 ? 4 << 30 : bytes
    }
}
