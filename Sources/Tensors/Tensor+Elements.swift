extension Tensor {
    /// The elements in row-major order, converted to `Element`.
    ///
    /// Complexity: O(elements); copies.
    public func elements<Element: TensorElement>(as type: Element.Type = Element.self) -> [Element] {
        if elementType == Element.elementType { return gathered(Element.self) }
        // The common conversions, compiled for their types. The casts are between equal types.
        if elementType == .float32, type == Double.self {
            return unsafeBitCast(gathered(Float.self).map(Double.init), to: [Element].self)
        }
        if elementType == .float64, type == Float.self {
            return unsafeBitCast(gathered(Double.self).map(Float.init), to: [Element].self)
        }
        func convert<Source: TensorElement>(_: Source.Type) -> [Element] {
            let values = gathered(Source.self)
            return elementType.isFloatingPoint || Element.elementType.isFloatingPoint
                ? values.map { Element(saturating: $0.doubleValue) }
                : values.map { Element(saturating: $0.int64Value) }
        }
        return convert(elementType.swiftType)
    }

    /// The tensor itself when row-major without gaps, otherwise a copy that is.
    public func contiguous() throws(TensorError) -> Tensor {
        if isContiguous { return self }
        let bytes = try Shape.byteCount(shape, elementType)
        let copy = try Storage(byteCount: bytes, zeroed: false)
        gather(into: copy.base)
        return Tensor(
            elementType: elementType, shape: shape, strides: Shape.rowMajorStrides(shape), offset: 0, storage: copy)
    }

    /// The same numbers with another element type.
    public func converted(to elementType: ElementType) throws(TensorError) -> Tensor {
        if elementType == self.elementType { return self }
        func convert<Element: TensorElement>(_: Element.Type) throws(TensorError) -> Tensor {
            try Tensor(elements(as: Element.self), shape: shape)
        }
        return try convert(elementType.swiftType)
    }

    /// Calls `body` with the elements' bytes in row-major order, without a copy when they lie so already.
    package func withContiguousBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        let tensor = try contiguous()
        defer { withExtendedLifetime(tensor) {} }
        return try body(UnsafeRawBufferPointer(start: tensor.firstElement, count: byteCount))
    }

    /// The address of the first element.
    package var firstElement: UnsafeMutableRawPointer { storage.base + offset * elementType.byteCount }

    /// Copies the elements in row-major order. `Element` has the tensor's own element type.
    private func gathered<Element: TensorElement>(_: Element.Type) -> [Element] {
        [Element](unsafeUninitializedCapacity: elementCount) { buffer, initialized in
            if let start = buffer.baseAddress { gather(into: UnsafeMutableRawPointer(start)) }
            initialized = elementCount
        }
    }

    /// Writes the elements in row-major order, and those of a derived tensor without keeping them.
    package func gather(into destination: UnsafeMutableRawPointer) {
        if byteCount == storage.byteCount, isContiguous, let derivation = storage.pendingDerivation {
            return derivation(destination)
        }
        withExtendedLifetime(storage) {
            copyStrided(
                shape: shape, elementByteCount: elementType.byteCount, from: firstElement, sourceStrides: strides,
                to: destination, destinationStrides: Shape.rowMajorStrides(shape))
        }
    }
}
