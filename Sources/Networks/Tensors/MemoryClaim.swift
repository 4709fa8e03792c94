/// Bytes of a budget that memory other than tensors takes. They are given back with the last reference.
package final class MemoryClaim: Sendable {
    private let byteCount: Int
    private let budget: MemoryBudget

    /// - Throws: ``TensorError/overBudget(requested:inUse:limit:)`` when the budget refuses.
    package init(_ byteCount: Int, of budget: MemoryBudget = .process) throws(TensorError) {
        try budget.reserve(byteCount)
        self.byteCount = byteCount
        self.budget = budget
    }

    deinit { budget.release(byteCount) }
}
