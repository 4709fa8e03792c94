/// Tensors whose elements are read from a file, or computed from other tensors, when they are needed.
///
/// Weights are read once, when they are rearranged for a kernel. Weights of a file, and those that a rewrite computes
/// from them, need memory neither before nor afterwards.
extension Tensor {
    /// The minimum bytes of a derived tensor; smaller tensors are written when they are made.
    package static let minimumDerivedByteCount = 64 << 10

    /// Makes a row-major tensor whose bytes `body` writes when they are needed.
    ///
    /// - Parameter body: Receives memory for `shape`'s bytes, undefined before it runs, and writes the same bytes each
    ///   time. It may be called any number of times, or never, from any thread.
    /// - Throws: ``TensorError`` when the bytes exceed memory, or when a small tensor is written at once and `body`
    ///   throws.
    package init(
        deriving elementType: ElementType, shape: [Int], by body: @escaping Storage.Derivation
    ) throws(TensorError) {
        let bytes = try Shape.byteCount(shape, elementType)
        let storage: Storage
        if bytes < Self.minimumDerivedByteCount {
            storage = try Storage(byteCount: bytes, zeroed: false)
            try body(storage.base)
        } else {
            storage = try Storage(byteCount: bytes, derivedBy: body)
        }
        self.init(
            elementType: elementType, shape: shape, strides: Shape.rowMajorStrides(shape), offset: 0, storage: storage)
    }

    /// Whether the elements are derived, and their memory has not been accessed yet.
    package var isPendingDerivation: Bool {
        storage.pendingDerivation != nil && isContiguous && byteCount == storage.byteCount
    }

    /// Writes the elements in row-major order. Derived elements are not kept.
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
