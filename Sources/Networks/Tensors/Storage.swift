import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A block of memory, aligned to 64 bytes unless it is borrowed. It is freed with its last reference.
///
/// Invariant: bytes are written only while a single owner holds the block (while a tensor is being made, or by the
/// executor that owns it); afterwards they are only read. Sharing the block between threads is therefore safe.
public final class Storage: @unchecked Sendable {
    /// Writes all bytes of a block, or throws.
    package typealias Derivation = @Sendable (UnsafeMutableRawPointer) throws(TensorError) -> Void

    /// Alignment of the first byte: one cache line, and the widest SIMD register.
    package static let alignment = 64

    /// The size of a large page. Blocks of at least this size use large pages where the system offers them, since
    /// streaming weights through small pages waits for address translation.
    private static let largePage = 2 << 20

    /// The number of bytes that may be used.
    public let byteCount: Int

    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    private let isMapped: Bool
    private let budget: MemoryBudget
    private let derived: DerivedContent?
    /// Gives borrowed memory back; nil for memory of its own.
    private let giveBack: (@Sendable () -> Void)?

    /// Borrows memory. Only the maker of the tensor may write to it before `giveBack` is called.
    ///
    /// - Parameter start: Aligned for the elements that are read from it.
    package init(borrowing start: UnsafeRawPointer, byteCount: Int, giveBack: @escaping @Sendable () -> Void) {
        self.start = UnsafeMutableRawPointer(mutating: start)
        self.byteCount = byteCount
        self.giveBack = giveBack
        (budget, derived, capacity, isMapped) = (.process, nil, 0, false)
    }

    /// Takes `byteCount` bytes from `budget`.
    ///
    /// - Parameter zeroed: Whether every byte is set to zero; otherwise the content is undefined.
    /// - Throws: ``TensorError`` when the budget or the system refuses.
    package convenience init(
        byteCount: Int, zeroed: Bool, budget: MemoryBudget = .process
    ) throws(TensorError) {
        try self.init(byteCount: byteCount, zeroed: zeroed, derived: nil, budget: budget)
    }

    /// Takes `byteCount` bytes that `derivation` writes when they are first read; they need no memory before.
    package convenience init(
        byteCount: Int, budget: MemoryBudget = .process, derivedBy derivation: @escaping Derivation
    ) throws(TensorError) {
        try self.init(byteCount: byteCount, zeroed: false, derived: DerivedContent(derivation), budget: budget)
    }

    private init(
        byteCount: Int, zeroed: Bool, derived: DerivedContent?, budget: MemoryBudget
    ) throws(TensorError) {
        guard byteCount >= 0, byteCount <= Int.max - 2 * Self.largePage else { throw .overflow([byteCount]) }
        let rounded = max(Self.alignment, (byteCount + Self.alignment - 1) / Self.alignment * Self.alignment)
        try budget.reserve(rounded)
        isMapped = rounded >= Self.largePage || derived != nil
        guard let start = isMapped ? Self.map(rounded) : Self.allocate(rounded) else {
            budget.release(rounded)
            throw .outOfMemory(requested: byteCount)
        }
        if zeroed, !isMapped { memset(start, 0, rounded) }
        self.start = start
        self.byteCount = byteCount
        self.budget = budget
        self.derived = derived
        giveBack = nil
        capacity = rounded
    }

    deinit {
        if let giveBack {
            giveBack()
            return
        }
        if isMapped { munmap(start, capacity) } else { free(start) }
        budget.release(capacity)
    }

    /// The first byte.
    ///
    /// If the bytes can no longer be derived, all bits are set, which makes floating-point numbers NaN; ``load()``
    /// throws.
    package var base: UnsafeMutableRawPointer {
        if let derived {
            do throws(TensorError) {
                try derived.writeOnce(to: start)
            } catch {
                memset(start, 0xFF, byteCount)
            }
        }
        return start
    }

    /// Derives the content now, unless that is done already.
    ///
    /// - Throws: ``TensorError`` when the content cannot be derived.
    package func load() throws(TensorError) {
        try derived?.writeOnce(to: start)
    }

    /// The function that writes the content; nil after the first access to ``base``.
    package var pendingDerivation: Derivation? { derived?.derivation }

    private static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        var pointer: UnsafeMutableRawPointer?
        return posix_memalign(&pointer, alignment, byteCount) == 0 ? pointer : nil
    }

    /// Maps zeroed pages from the system. Unmapping returns them at once, whereas an allocator would keep them.
    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let isLarge = byteCount >= largePage
        let slack = isLarge ? largePage : 0
        guard
            let mapped = mmap(nil, byteCount + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            mapped != MAP_FAILED
        else { return nil }
        if !isLarge { return mapped }
        let start = mapped.alignedUp(toMultipleOf: largePage)
        let end = (start + byteCount).alignedUp(toMultipleOf: Int(getpagesize()))
        if start > mapped { munmap(mapped, start - mapped) }
        if end < mapped + byteCount + slack { munmap(end, mapped + byteCount + slack - end) }
        // This is advice: where the system has no large pages, pages stay small.
        madvise(start, byteCount / largePage * largePage, MADV_HUGEPAGE)
        return start
    }
}

/// Content that is written when it is first read.
private final class DerivedContent: Sendable {
    private let state: Mutex<Storage.Derivation?>

    init(_ derivation: @escaping Storage.Derivation) {
        state = Mutex(derivation)
    }

    /// The function that writes the content; nil once it is written.
    var derivation: Storage.Derivation? { state.withLock { $0 } }

    func writeOnce(to start: UnsafeMutableRawPointer) throws(TensorError) {
        nonisolated(unsafe) let start = start
        try state.withLock { derivation throws(TensorError) in
            try derivation?(start)
            derivation = nil
        }
    }
}
