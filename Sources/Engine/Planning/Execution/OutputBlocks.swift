import Synchronization
import Tensors

/// Memory for large outputs. When an earlier output is released, its memory serves the next one, because the system
/// would clear new pages, which takes longer than writing them.
final class OutputBlocks: Sendable {
    private let budget: MemoryBudget
    private let spare = Mutex<[Storage]>([])

    /// The bytes from which on memory is used again.
    private static let minimumByteCount = 2 << 20
    /// The blocks that are kept.
    private static let maximumCount = 2

    init(_ budget: MemoryBudget) { self.budget = budget }

    /// A tensor whose content the caller writes before it hands it on.
    func tensor(_ elementType: ElementType, shape: [Int]) throws -> Tensor {
        let byteCount = try Shape.elementCount(shape).multipliedReportingOverflow(by: elementType.byteCount)
        guard !byteCount.overflow, byteCount.partialValue >= Self.minimumByteCount else {
            return try Tensor(elementType, shape: shape, budget: budget) { _ in }
        }
        let block = try block(byteCount.partialValue)
        let lent = Storage(borrowing: block.base, byteCount: block.byteCount) { [self] in giveBack(block) }
        return Tensor(
            elementType: elementType, shape: shape, strides: Shape.rowMajorStrides(shape), offset: 0, storage: lent)
    }

    private func block(_ byteCount: Int) throws -> Storage {
        let kept = spare.withLock { spare -> Storage? in
            let index = spare.firstIndex { $0.byteCount == byteCount }
            let found = index.map { spare.remove(at: $0) }
            // Blocks of other sizes belong to inputs of earlier extents.
            if found == nil { spare.removeAll() }
            return found
        }
        return try kept ?? Storage(byteCount: byteCount, zeroed: false, budget: budget)
    }

    private func giveBack(_ block: Storage) {
        spare.withLock { spare in if spare.count < Self.maximumCount { spare.append(block) } }
    }
}
