import Synchronization
import Tensors

/// Weights rearranged for kernels, made once and shared by every plan of a session.
///
/// Safe to use from any thread.
package final class PackedWeights: Sendable {
    private struct Key: Hashable {
        let storage: ObjectIdentifier
        let offset: Int
        let shape: [Int]
        let strides: [Int]
        let packing: String
    }

    private struct Entry {
        /// Keeps the storage alive, so that the identity in the key is not used for another.
        let original: Storage
        let packed: Tensor
    }

    /// The memory in which rearranged weights should be adjacent.
    package let memory: WeightMemory

    private let entries = Mutex<[Key: Entry]>([:])
    private let scratch = ScratchMemory()

    /// - Parameter byteCount: The bytes of the weights before they are rearranged.
    package init(expecting byteCount: Int = 0) {
        memory = WeightMemory(expecting: byteCount)
    }

    /// The number of rearranged tensors that are kept.
    package var count: Int { entries.withLock(\.count) }

    /// The tensor rearranged by `pack`, from an earlier call with the same tensor and packing when there was one.
    ///
    /// - Parameters:
    ///   - packing: Names the arrangement, and everything that it depends on.
    ///   - pack: Receives the tensor with its elements; memory of derived elements is reused afterwards. The result may
    ///     be a view of the tensor.
    package func tensor(_ original: Tensor, packing: String, pack: (Tensor) throws -> Tensor) throws -> Tensor {
        let key = Key(
            storage: ObjectIdentifier(original.storage), offset: original.offset, shape: original.shape,
            strides: original.strides, packing: packing)
        if let entry = entries.withLock({ $0[key] }) { return entry.packed }
        let packed = try scratch.withElements(of: original, pack)
        return entries.withLock { entries in
            if let entry = entries[key] { return entry.packed }
            entries[key] = Entry(original: original.storage, packed: packed)
            return packed
        }
    }

    /// Frees the memory that was needed to rearrange weights.
    package func releaseScratch() {
        scratch.release()
    }
}
