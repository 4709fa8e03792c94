/// Tensors whose elements follow from those of others, and are computed when they are needed.
///
/// Weights are read once, when they are rearranged for a kernel. Those that a rewrite computes from the weights of a
/// file need no memory beside them until then, and none afterwards.
extension Tensor {
    /// Fewer bytes are computed at once.
    package static let leastDerivedByteCount = 64 << 10

    /// Makes a row-major tensor whose bytes `body` writes, the same ones every time.
    ///
    /// - Parameter body: Receives memory for `shape`'s bytes, undefined before it runs. It may be called never, and more
    ///   than once, from any thread.
    /// - Throws: ``TensorError`` when the bytes are more than memory holds.
    package init(
        deriving elementType: ElementType, shape: [Int], by body: @escaping Storage.Derivation
    ) throws(TensorError) {
        let bytes = try Shape.byteCount(shape, elementType)
        let storage: Storage
        if bytes < Self.leastDerivedByteCount {
            storage = try Storage(byteCount: bytes, zeroed: false)
            body(storage.base)
        } else {
            storage = try Storage(byteCount: bytes, derivedBy: body)
        }
        self.init(
            elementType: elementType, shape: shape, strides: Shape.rowMajorStrides(shape), offset: 0, storage: storage)
    }

    /// The tensor itself, or one with the same elements in memory that goes with it where its own is not written yet.
    package func withElements() throws(TensorError) -> Tensor {
        guard storage.pendingDerivation != nil, isContiguous, byteCount == storage.byteCount else { return self }
        let copy = try Storage(byteCount: byteCount, zeroed: false)
        gather(into: copy.base)
        return Tensor(elementType: elementType, shape: shape, strides: strides, offset: 0, storage: copy)
    }
}
