extension Tensor {
    /// The elements in row-major order, converted to `Element`.
    ///
    /// Elements of a file that was overwritten before they were read are NaN.
    ///
    /// - Complexity: O(elements); the elements are copied.
    public func elements<Element: TensorElement>(as type: Element.Type = Element.self) -> [Element] {
        if elementType == Element.elementType { return gathered(Element.self) }
        // Specializations of the common conversions. The casts are between equal types.
        if elementType == .float32, type == Double.self {
            return unsafeBitCast(gathered(Float.self).map(Double.init), to: [Element].self)
        }
        if elementType == .float64, type == Float.self {
            return unsafeBitCast(gathered(Double.self).map(Float.init), to: [Element].self)
        }
        if type == Int32.self || type == Double.self {
            func widened<Source: FixedWidthInteger & TensorElement>(_: Source.Type) -> [Element] {
                let values = gathered(Source.self)
                return type == Int32.self
                    ? unsafeBitCast(values.map { Int32(truncatingIfNeeded: $0) }, to: [Element].self)
                    : unsafeBitCast(values.map { Double(Int32(truncatingIfNeeded: $0)) }, to: [Element].self)
            }
            if elementType == .int8 { return widened(Int8.self) }
            if elementType == .uint8 { return widened(UInt8.self) }
        }
        func convert<Source: TensorElement>(_: Source.Type) -> [Element] {
            let values = gathered(Source.self)
            return elementType.isFloatingPoint || Element.elementType.isFloatingPoint
                ? values.map { Element(saturating: $0.doubleValue) }
                : values.map { Element(saturating: $0.int64Value) }
        }
        return convert(elementType.swiftType)
    }

    /// The tensor itself when it is row-major without gaps, otherwise a row-major copy.
    public func contiguous() throws(TensorError) -> Tensor {
        if isContiguous { return self }
        let bytes = try Shape.byteCount(shape, elementType)
        let copy = try Storage(byteCount: bytes, zeroed: false)
        try copyElements(to: copy.base)
        return Tensor(
            elementType: elementType, shape: shape, strides: Shape.rowMajorStrides(shape), offset: 0, storage: copy)
    }

    /// The same numbers with another element type.
    public func converted(to elementType: ElementType) throws(TensorError) -> Tensor {
        if elementType == self.elementType { return self }
        func convert<Element: TensorElement>(_: Element.Type) throws(TensorError) -> Tensor {
            try filled(as: Element.self) { _, piece in piece }
        }
        return try convert(elementType.swiftType)
    }

    /// Calls `body` with the elements' bytes in row-major order; copies only when the elements are not contiguous.
    package func withContiguousBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        let tensor = try contiguous()
        try tensor.storage.load()
        defer { withExtendedLifetime(tensor) {} }
        return try body(UnsafeRawBufferPointer(start: tensor.firstElement, count: byteCount))
    }

    /// The address of the first element.
    package var firstElement: UnsafeMutableRawPointer { storage.base + offset * elementType.byteCount }

    /// Copies the elements in row-major order. `Element` is the tensor's element type.
    private func gathered<Element: TensorElement>(_: Element.Type) -> [Element] {
        [Element](unsafeUninitializedCapacity: elementCount) { buffer, initialized in
            if let start = buffer.baseAddress {
                do throws(TensorError) {
                    try copyElements(to: UnsafeMutableRawPointer(start))
                } catch {
                    UnsafeMutableRawBufferPointer(start: start, count: byteCount).initializeMemory(
                        as: UInt8.self, repeating: .max)
                }
            }
            initialized = elementCount
        }
    }
}
