import Synchronization

/// A limit on the bytes that tensors and arenas hold together.
///
/// Every allocation asks its budget first and throws ``TensorError/overBudget(requested:inUse:limit:)`` when the answer
/// is no, so that a file which declares an absurd size becomes an error and not a killed process.
///
/// Safe to use from any thread.
public final class MemoryBudget: Sendable {
    /// The budget of the process: three quarters of the memory of the machine and of its control group, unless ``limit``
    /// or ``restrict(to:)`` say otherwise.
    public static let process = MemoryBudget(limit: largestLimit)

    private let used = Atomic<Int>(0)
    private let allocations = Atomic<Int>(0)
    private let currentLimit: Atomic<Int>
    private let earning = Atomic<Bool>(false)
    private let mostRefused = Atomic<Int>(0)

    /// What each byte of a model's files may claim. Networks whose weights are made up when they are read, of which a few
    /// kilobytes declare half a gigabyte, need 200 KiB.
    package static let bytesPerModelByte = 256 << 10
    /// What each byte of an array's file may claim: what was read, its rearranged form, and what both are made from.
    private static let bytesPerArrayByte = 4

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

    /// Sets a limit that grows with the files that are read, up to three quarters of the memory there is: weights are large
    /// because files are, but a few bytes of a file cannot ask for much.
    ///
    /// - Parameter byteCount: What may be taken before any file is read.
    public func restrict(to byteCount: Int) {
        limit = min(byteCount, Self.largestLimit)
        earning.store(true, ordering: .relaxed)
    }

    /// Notes that a model's file of `byteCount` bytes is read.
    package func earn(modelByteCount byteCount: Int) { earn(byteCount, times: Self.bytesPerModelByte) }

    /// Notes that an array's file of `byteCount` bytes is read.
    package func earn(arrayByteCount byteCount: Int) { earn(byteCount, times: Self.bytesPerArrayByte) }

    private func earn(_ byteCount: Int, times factor: Int) {
        guard earning.load(ordering: .relaxed), byteCount > 0 else { return }
        let (earned, overflow) = byteCount.multipliedReportingOverflow(by: factor)
        let current = limit
        let raised = overflow || earned > Self.largestLimit - current ? Self.largestLimit : current + earned
        currentLimit.store(max(current, raised), ordering: .relaxed)
    }

    /// The most bytes that were to be in use when more were refused; 0 when nothing was.
    package var mostRefusedBytes: Int { mostRefused.load(ordering: .relaxed) }

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
                mostRefused.max(overflow ? .max : sum, ordering: .relaxed)
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

    /// What the process may take at most unless a limit says otherwise.
    package static let largestLimit = largestLimit(of: .current)

    /// Bytes that are left to what is no tensor: the program, its libraries, pictures and rows.
    private static let leftForOthers = 128 << 20

    /// Three quarters of what there is, less where little is left to everything else.
    package static func largestLimit(of memory: MachineMemory) -> Int {
        max(memory.byteCount / 4, min(memory.byteCount / 4 * 3, memory.byteCount - leftForOthers))
    }
}
