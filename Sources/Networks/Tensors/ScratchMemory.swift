import Synchronization

/// Reusable memory for derived elements that are read once and not kept.
///
/// Safe to use from any thread.
package final class ScratchMemory: Sendable {
    private let free = Mutex<[Storage]>([])

    package init() {}

    /// Calls `body` with the tensor. Elements that are yet to be derived are written to scratch memory, and not kept.
    ///
    /// - Parameter body: Receives a tensor that is valid until `body` returns; the result may be a view of it.
    /// - Throws: ``TensorError`` when the elements cannot be derived, and what `body` throws.
    package func withElements(of tensor: Tensor, _ body: (Tensor) throws -> Tensor) throws -> Tensor {
        guard tensor.isPendingDerivation else { return try body(tensor) }
        let (elements, memory) = try derive(tensor)
        let result = try body(elements)
        if result.storage !== memory { free.withLock { $0.append(memory) } }
        return result
    }

    /// Calls `body` likewise, for a result that is not a tensor.
    package func withElements<Result: BitwiseCopyable>(
        of tensor: Tensor, _ body: (Tensor) throws -> [Result]
    ) throws -> [Result] {
        var result: [Result] = []
        try read(tensor) { result = try body($0) }
        return result
    }

    /// Calls `body` likewise, without a result.
    package func read(_ tensor: Tensor, _ body: (Tensor) throws -> Void) throws {
        guard tensor.isPendingDerivation else { return try body(tensor) }
        let (elements, memory) = try derive(tensor)
        defer { free.withLock { $0.append(memory) } }
        try body(elements)
    }

    /// Frees the memory that is not in use.
    package func release() {
        free.withLock { $0 = [] }
    }

    private func derive(_ tensor: Tensor) throws(TensorError) -> (Tensor, Storage) {
        let byteCount = tensor.byteCount
        var storage = free.withLock { $0.popLast() }
        if let small = storage, small.byteCount < byteCount { storage = nil }
        let memory = if let storage { storage } else { try Storage(byteCount: byteCount, zeroed: false) }
        try tensor.copyElements(to: memory.base)
        let elements = Tensor(
            elementType: tensor.elementType, shape: tensor.shape, strides: tensor.strides, offset: 0, storage: memory)
        return (elements, memory)
    }
}
