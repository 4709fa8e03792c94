/// Tensors whose elements follow from those of others or lie in a file, and are had when they are needed.
///
/// Weights are read once, when they are rearranged for a kernel. Until then those of a file, and those that a rewrite
/// computes from them, need no memory, and none afterwards.
extension Tensor {
    /// Fewer bytes are derived at once.
    package static let leastDerivedByteCount = 64 << 10

    /// Makes a row-major tensor whose bytes `body` writes, the same ones every time.
    ///
    /// - Parameter body: Receives memory for `shape`'s bytes, undefined before it runs. It may be called never, and more
    ///   than once, from any thread.
    /// - Throws: ``TensorError`` when the bytes are more than memory holds, or there are few and `body` throws.
    package init(
        deriving elementType: ElementType, shape: [Int], by body: @escaping Storage.Derivation
    ) throws(TensorError) {
        let bytes = try Shape.byteCount(shape, elementType)
        let storage: Storage
        if bytes < Self.leastDerivedByteCount {
            storage = try Storage(byteCount: bytes, zeroed: false)
            try body(storage.base)
        } else {
            storage = try Storage(byteCount: bytes, derivedBy: body)
        }
        self.init(
            elementType: elementType, shape: shape, strides: Shape.rowMajorStrides(shape), offset: 0, storage: storage)
    }

    /// Whether the elements are derived, and nobody has asked for the memory that they lie in.
    package var isPendingDerivation: Bool {
        storage.pendingDerivation != nil && isContiguous && byteCount == storage.byteCount
    }

    /// Writes the elements in row-major order; those that are derived are not kept.
    package func copyElements(to destination: UnsafeMutableRawPointer) throws(TensorError) {
        if isPendingDerivation, let derivation = storage.pendingDerivation { return try derivation(destination) }
        try storage.load()
        withExtendedLifetime(storage) {
            copyStrided(
                shape: shape, elementByteCount: elementType.byteCount, from: firstElement, sourceStrides: strides,
                to: destination, destinationStrides: Shape.rowMajorStrides(shape))
        }
    }
}
