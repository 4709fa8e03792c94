extension Tensor {
    /// The elements in row-major order, converted to `Element`.
    ///
    /// Complexity: O(elements); copies.
    public func elements<Element: TensorElement>(as type: Element.Type = Element.self) -> [Element] {
        if elementType == Element.elementType { return gathered(Element.self) }
        switch (elementType, type) {
        case (.float32, is Double.Type):
            if let values = gathered(Float.self).map(Double.init) as? [Element] { return values }
        case (.float64, is Float.Type):
            if let values = gathered(Double.self).map(Float.init) as? [Element] { return values }
        default: break
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

    private func gather(into destination: UnsafeMutableRawPointer) {
        withExtendedLifetime(storage) {
            if isContiguous {
                destination.copyMemory(from: firstElement, byteCount: byteCount)
                return
            }
            switch elementType.byteCount {
            case 1: gatherStrided(UInt8.self, destination)
            case 2: gatherStrided(UInt16.self, destination)
            case 4: gatherStrided(UInt32.self, destination)
            default: gatherStrided(UInt64.self, destination)
            }
        }
    }

    @inline(__always)
    private func gatherStrided<Bits: FixedWidthInteger & BitwiseCopyable>(
        _: Bits.Type, _ destination: UnsafeMutableRawPointer
    ) {
        let source = firstElement.assumingMemoryBound(to: Bits.self)
        let target = destination.assumingMemoryBound(to: Bits.self)
        let inner = shape.last ?? 1
        let innerStride = strides.last ?? 1
        var next = 0
        forEachRow { position in
            for index in 0..<inner { target[next + index] = source[position + index * innerStride] }
            next += inner
        }
    }

    /// Calls `body` with the position of the first element of every innermost row, in row-major order.
    private func forEachRow(_ body: (Int) -> Void) {
        guard elementCount > 0 else { return }
        let outer = max(shape.count - 1, 0)
        var index = [Int](repeating: 0, count: outer)
        var position = 0
        while true {
            body(position)
            var axis = outer - 1
            while axis >= 0 {
                index[axis] += 1
                position += strides[axis]
                if index[axis] < shape[axis] { break }
                position -= strides[axis] * shape[axis]
                index[axis] = 0
                axis -= 1
            }
            if axis < 0 { return }
        }
    }
}
