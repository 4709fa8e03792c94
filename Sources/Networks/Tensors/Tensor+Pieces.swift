/// Elements in pieces, so that no array outside the memory budget holds them all.
extension Tensor {
    /// The maximum number of elements of a piece.
    package static let pieceElementCount = 1 << 14

    /// Calls `body` with the elements in row-major order, piece by piece. Derived elements are not kept.
    ///
    /// - Parameter body: Receives the index of the first element of a piece, and the piece, converted to `Element`.
    package func forEachPiece<Element: TensorElement>(
        as type: Element.Type = Element.self, _ body: (_ start: Int, _ piece: [Element]) throws(TensorError) -> Void
    ) throws(TensorError) {
        let count = elementCount
        var source = self
        if !isContiguous || isPendingDerivation {
            let memory = try Storage(byteCount: byteCount, zeroed: false)
            try copyElements(to: memory.base)
            source = Tensor(
                elementType: elementType, shape: shape, strides: Shape.rowMajorStrides(shape), offset: 0,
                storage: memory)
        }
        try source.storage.load()
        for start in stride(from: 0, to: count, by: Self.pieceElementCount) {
            let piece = Tensor(
                elementType: elementType, shape: [min(Self.pieceElementCount, count - start)], strides: [1],
                offset: source.offset + start, storage: source.storage)
            try body(start, piece.elements(as: type))
        }
    }

    /// A float32 tensor of the same shape with a function of every element and of its index in row-major order.
    package func mapNumbers(
        _ function: (_ index: Int, _ number: Float) -> Float
    ) throws(TensorError) -> Tensor {
        try filled(as: Float.self) { start, piece throws(TensorError) in
            piece.indices.map { function(start + $0, piece[$0]) }
        }
    }

    /// A tensor of the same shape whose elements are written in pieces.
    func filled<Element: TensorElement>(
        as type: Element.Type, _ function: (_ start: Int, _ piece: [Element]) throws(TensorError) -> [Element]
    ) throws(TensorError) -> Tensor {
        let storage = try Storage(byteCount: try Shape.byteCount(shape, Element.elementType), zeroed: false)
        try forEachPiece(as: type) { start, piece throws(TensorError) in
            try function(start, piece).withUnsafeBytes { bytes in
                guard let first = bytes.baseAddress else { return }
                (storage.base + start * MemoryLayout<Element>.stride).copyMemory(
                    from: first, byteCount: bytes.count)
            }
        }
        return Tensor(
            elementType: Element.elementType, shape: shape, strides: Shape.rowMajorStrides(shape), offset: 0,
            storage: storage)
    }
}
