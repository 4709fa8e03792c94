import Synchronization

/// Memory for tensors of equal lifetime, such as the weights of a network. They share few large blocks, so that small
/// tensors also lie in large pages, and freed blocks return to the system.
///
/// Safe to use from any thread. A block is freed with its last tensor.
package final class WeightMemory: Sendable {
    private struct State {
        var block: Storage?
        var used = 0
    }

    private let state = Mutex(State())
    private let blockByteCount: Int

    private static let minimumBlockByteCount = 64 << 10

    /// - Parameter byteCount: The expected bytes of all tensors together; they may take more.
    package init(expecting byteCount: Int) {
        blockByteCount = max(byteCount, Self.minimumBlockByteCount)
    }

    private static func roundedByteCount(_ byteCount: Int) -> Int {
        (byteCount + Storage.alignment - 1) / Storage.alignment * Storage.alignment
    }

    /// Makes a row-major tensor whose bytes `body` writes.
    ///
    /// - Parameter body: Receives `shape`'s bytes, undefined before it runs.
    /// - Throws: ``TensorError``, or what `body` throws.
    package func tensor(
        _ elementType: ElementType, shape: [Int],
        initializingBytes body: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws -> Tensor {
        let byteCount = try Shape.byteCount(shape, elementType)
        let (storage, start) = try take(byteCount)
        try body(UnsafeMutableRawBufferPointer(start: storage.base + start, count: byteCount))
        return Tensor(
            elementType: elementType, shape: shape, strides: Shape.rowMajorStrides(shape),
            offset: start / elementType.byteCount, storage: storage)
    }

    private func take(_ byteCount: Int) throws(TensorError) -> (storage: Storage, start: Int) {
        // More than any memory holds: the allocation fails, before the sum below could overflow.
        guard byteCount < Int.max / 2 else { return (try Storage(byteCount: byteCount, zeroed: false), 0) }
        let rounded = Self.roundedByteCount(byteCount)
        return try state.withLock { state throws(TensorError) in
            if let block = state.block, rounded <= block.byteCount - state.used {
                defer { state.used += rounded }
                return (block, state.used)
            }
            // The bytes beyond the expectation are few, so that a smaller block suffices.
            let next = state.block == nil ? blockByteCount : blockByteCount / 4
            if state.block != nil, rounded > next / 2 {
                return (try Storage(byteCount: rounded, zeroed: false), 0)
            }
            let block = try Storage(byteCount: max(next, rounded), zeroed: false)
            state = State(block: block, used: rounded)
            return (block, 0)
        }
    }
}
