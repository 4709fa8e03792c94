#if canImport(Glibc)
    import Glibc
#endif

/// A block of memory, aligned to 64 bytes, freed when the last reference goes.
///
/// Invariant: bytes are written only while a single owner holds the block (while a tensor is being made, or by the
/// executor that owns it); afterwards they are only read. That makes sharing it between threads safe.
public final class Storage: @unchecked Sendable {
    /// Alignment of the first byte: one cache line, and the widest SIMD register.
    package static let alignment = 64

    /// The size of a large page; blocks of at least one are made of them where the system offers them, since streaming
    /// weights through small pages waits for their translation.
    private static let largePage = 2 << 20

    /// The number of bytes that may be used.
    public let byteCount: Int

    /// The first byte.
    package let base: UnsafeMutableRawPointer

    private let budget: MemoryBudget

    /// Takes `byteCount` bytes from `budget`.
    ///
    /// - Parameter zeroed: Whether every byte is set to zero; otherwise the content is undefined.
    /// - Throws: ``TensorError`` when the budget or the system refuses.
    package init(byteCount: Int, zeroed: Bool, budget: MemoryBudget = .process) throws(TensorError) {
        guard byteCount >= 0, byteCount <= Int.max - 2 * Self.alignment else { throw .overflow([byteCount]) }
        let rounded = max(Self.alignment, (byteCount + Self.alignment - 1) / Self.alignment * Self.alignment)
        try budget.reserve(rounded)
        var pointer: UnsafeMutableRawPointer?
        let isLarge = rounded >= Self.largePage
        guard posix_memalign(&pointer, isLarge ? Self.largePage : Self.alignment, rounded) == 0, let pointer else {
            budget.release(rounded)
            throw .outOfMemory(requested: byteCount)
        }
        // Advice: where the system has none to give, pages stay small.
        if isLarge { madvise(pointer, rounded / Self.largePage * Self.largePage, MADV_HUGEPAGE) }
        if zeroed { memset(pointer, 0, rounded) }
        self.byteCount = byteCount
        self.base = pointer
        self.budget = budget
        self.capacity = rounded
    }

    private let capacity: Int

    deinit {
        free(base)
        budget.release(capacity)
    }
}
