import Synchronization

/// A limit on the total bytes of tensors and arenas.
///
/// Every allocation reserves its bytes first. If the budget refuses them it throws
/// ``TensorError/overBudget(requested:inUse:limit:)``, so that a file that declares an absurd size causes an error
/// instead of a killed process.
///
/// Safe to use from any thread.
public final class MemoryBudget: Sendable {
    /// The budget of the process. Its limit is three quarters of the memory of the machine or of its control group,
    /// unless ``limit`` or ``restrict(to:)`` sets another.
    public static let process = MemoryBudget(limit: maximumLimit)

    private let used = Atomic<Int>(0)
    private let allocations = Atomic<Int>(0)
    private let currentLimit: Atomic<Int>
    private let earning = Atomic<Bool>(false)
    private let maximumRefused = Atomic<Int>(0)

    /// The bytes that each byte of a model's files may claim. Models whose weights are generated while they are read
    /// need 200 KiB: a few kilobytes declare half a gigabyte.
    package static let bytesPerModelByte = 256 << 10
    /// The bytes that each byte of an array's file may claim: for the array, its rearranged form, and their sources.
    private static let bytesPerArrayByte = 4

    /// The maximum bytes that may be in use at once.
    ///
    /// Lowering the limit takes back no memory that is already reserved.
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

    /// Sets a limit that grows with the files that are read, up to three quarters of the available memory: large files
    /// may claim memory for large weights, but a few bytes cannot claim much.
    ///
    /// - Parameter byteCount: The limit before any file is read.
    public func restrict(to byteCount: Int) {
        limit = min(byteCount, Self.maximumLimit)
        earning.store(true, ordering: .relaxed)
    }

    /// Raises a restricted limit because a model's file of `byteCount` bytes is read.
    package func earn(modelByteCount byteCount: Int) { earn(byteCount, times: Self.bytesPerModelByte) }

    /// Raises a restricted limit because an array's file of `byteCount` bytes is read.
    package func earn(arrayByteCount byteCount: Int) { earn(byteCount, times: Self.bytesPerArrayByte) }

    /// Raises a restricted limit by `byteCount` bytes because more runs at once than it was set for.
    package func earn(byteCount: Int) { earn(byteCount, times: 1) }

    private func earn(_ byteCount: Int, times factor: Int) {
        guard earning.load(ordering: .relaxed), byteCount > 0 else { return }
        let (earned, overflow) = byteCount.multipliedReportingOverflow(by: factor)
        let current = limit
        let raised = overflow || earned > Self.maximumLimit - current ? Self.maximumLimit : current + earned
        currentLimit.store(max(current, raised), ordering: .relaxed)
    }

    /// The maximum, over all refused allocations, of the bytes that would have been in use; 0 when none was refused.
    package var maximumRefusedBytes: Int { maximumRefused.load(ordering: .relaxed) }

    /// The bytes in use now.
    public var bytesInUse: Int { used.load(ordering: .relaxed) }

    /// The number of allocations granted so far.
    public var allocationCount: Int { allocations.load(ordering: .relaxed) }

    /// Reserves bytes, which ``release(_:)`` gives back.
    package func reserve(_ byteCount: Int) throws(TensorError) {
        var current = used.load(ordering: .relaxed)
        while true {
            let (sum, overflow) = current.addingReportingOverflow(byteCount)
            guard !overflow, sum <= limit else {
                maximumRefused.max(overflow ? .max : sum, ordering: .relaxed)
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

    /// The limit of the process, unless it sets another.
    package static let maximumLimit = maximumLimit(of: .current)

    /// The bytes left for everything but tensors: the program, its libraries, pictures and rows.
    private static let leftForOthers = 128 << 20

    /// Three quarters of the available memory, or less where that would leave too little for everything else.
    package static func maximumLimit(of memory: MachineMemory) -> Int {
        max(memory.byteCount / 4, min(memory.byteCount / 4 * 3, memory.byteCount - leftForOthers))
    }
}
