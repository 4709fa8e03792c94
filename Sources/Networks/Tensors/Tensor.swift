/// An array of numbers with a shape: the value that goes into and comes out of a network.
///
///     let pixels = try Tensor([Float](repeating: 0, count: 3 * 227 * 227), shape: [1, 3, 227, 227])
///     let scores = try outputs["prob"]?.elements(as: Float.self)
///
/// A tensor is immutable and may be sent between tasks. Views (``sliced(axis:_:)``, ``transposed(_:)``,
/// ``reshaped(to:)``) share its memory.
public struct Tensor: Sendable {
    /// The type of every element.
    public let elementType: ElementType
    /// The extents, outermost first.
    public let shape: [Int]
    /// The distance in elements between neighbours along each axis.
    package let strides: [Int]
    /// The position in `storage` of the first element, in elements.
    package let offset: Int
    package let storage: Storage

    package init(elementType: ElementType, shape: [Int], strides: [Int], offset: Int, storage: Storage) {
        self.elementType = elementType
        self.shape = shape
        self.strides = strides
        self.offset = offset
        self.storage = storage
    }

    /// Makes a row-major tensor whose bytes `body` writes.
    ///
    /// - Parameter body: Receives `shape`'s bytes, undefined before it runs.
    /// - Throws: ``TensorError``, or what `body` throws.
    package init(
        _ elementType: ElementType, shape: [Int], budget: MemoryBudget = .process,
        initializingBytes body: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws {
        let bytes = try Shape.byteCount(shape, elementType)
        let storage = try Storage(byteCount: bytes, zeroed: false, budget: budget)
        try body(UnsafeMutableRawBufferPointer(start: storage.base, count: bytes))
        self.init(
            elementType: elementType, shape: shape, strides: Shape.rowMajorStrides(shape), offset: 0, storage: storage)
    }

    /// Makes a float32 tensor whose elements `element` gives for each index, in row-major order, without an array in
    /// between.
    package init(
        shape: [Int], budget: MemoryBudget = .process, elements element: (_ index: Int) -> Float
    ) throws(TensorError) {
        let count = try Shape.elementCount(shape)
        let storage = try Storage(byteCount: try Shape.byteCount(shape, .float32), zeroed: false, budget: budget)
        let start = storage.base
        for index in 0..<count {
            start.storeBytes(of: element(index), toByteOffset: index * MemoryLayout<Float>.stride, as: Float.self)
        }
        self.init(
            elementType: .float32, shape: shape, strides: Shape.rowMajorStrides(shape), offset: 0, storage: storage)
    }

    /// Makes a tensor from its elements in row-major order.
    ///
    /// - Throws: ``TensorError`` when the number of elements is not that of `shape`, or memory runs out.
    public init<Element: TensorElement>(
        _ elements: [Element], shape: [Int], budget: MemoryBudget = .process
    ) throws(TensorError) {
        let count = try Shape.elementCount(shape)
        guard count == elements.count else {
            throw .elementCount(expected: count, found: elements.count, shape: shape)
        }
        let bytes = try Shape.byteCount(shape, Element.elementType)
        let storage = try Storage(byteCount: bytes, zeroed: false, budget: budget)
        elements.withUnsafeBytes { source in
            if let start = source.baseAddress { storage.base.copyMemory(from: start, byteCount: bytes) }
        }
        self.init(
            elementType: Element.elementType, shape: shape, strides: Shape.rowMajorStrides(shape), offset: 0,
            storage: storage)
    }

    /// Makes a tensor of any element type from numbers, converting each.
    package init(_ values: [Double], as elementType: ElementType, shape: [Int]) throws(TensorError) {
        func convert<Element: TensorElement>(_: Element.Type) throws(TensorError) -> Tensor {
            try Tensor(values.map { Element(saturating: $0) }, shape: shape)
        }
        switch elementType {
        case .float32: self = try Tensor(values.map(Float.init), shape: shape)
        case .float64: self = try Tensor(values, shape: shape)
        default: self = try convert(elementType.swiftType)
        }
    }

    /// Makes a tensor of any element type from integers, converting each.
    package init(_ values: [Int64], as elementType: ElementType, shape: [Int]) throws(TensorError) {
        func convert<Element: TensorElement>(_: Element.Type) throws(TensorError) -> Tensor {
            try Tensor(values.map { Element(saturating: $0) }, shape: shape)
        }
        self = try convert(elementType.swiftType)
    }

    /// Makes a tensor of zeros.
    public init(
        zeros elementType: ElementType, shape: [Int], budget: MemoryBudget = .process
    ) throws(TensorError) {
        let bytes = try Shape.byteCount(shape, elementType)
        let storage = try Storage(byteCount: bytes, zeroed: true, budget: budget)
        self.init(
            elementType: elementType, shape: shape, strides: Shape.rowMajorStrides(shape), offset: 0, storage: storage)
    }

    /// The number of elements.
    public var elementCount: Int { shape.reduce(1, *) }

    /// The number of bytes that the elements take when they are contiguous.
    public var byteCount: Int { elementCount * elementType.byteCount }

    /// Whether the elements lie in row-major order without gaps.
    public var isContiguous: Bool { isRowMajor(shape, strides) }
}
