/// One extent of a shape: a number, or a name for a number that is known when the network runs.
public enum Dimension: Sendable, Hashable {
    /// A number that is part of the network.
    case fixed(Int)
    /// A number that the input determines, such as the batch size.
    case symbol(String)

    /// The number of images in a batch, written `N`.
    public static let batch = Dimension.symbol("N")

    /// The number, or nil for a symbol.
    public var value: Int? {
        if case .fixed(let value) = self { value } else { nil }
    }
}

extension Dimension: ExpressibleByIntegerLiteral, CustomStringConvertible {
    public init(integerLiteral value: Int) { self = .fixed(value) }

    public var description: String {
        switch self {
        case .fixed(let value): String(value)
        case .symbol(let name): name
        }
    }
}

/// The extents of a value in a network, outermost first, as ONNX orders them (`[N, C, H, W]` for images).
public struct Shape: Sendable, Hashable {
    /// The maximum number of axes of a tensor.
    public static let maximumRank = 64

    /// The maximum number of elements of a tensor, with extents of 0 counted as 1: about a million million.
    ///
    /// It is far below what an `Int` holds, so that bytes and bits of the elements, offsets along every axis, and sums
    /// over all values of a network cannot overflow.
    public static let maximumElementCount = 1 << 40

    /// The extents, outermost first.
    public var dimensions: [Dimension]

    /// Makes a shape from its extents.
    public init(_ dimensions: [Dimension]) {
        self.dimensions = dimensions
    }

    /// Makes a shape without symbols.
    public init(_ extents: [Int]) {
        dimensions = extents.map(Dimension.fixed)
    }

    /// The number of extents.
    public var rank: Int { dimensions.count }

    /// The extents as numbers; nil when one is a symbol.
    public var fixed: [Int]? {
        let values = dimensions.compactMap(\.value)
        return values.count == dimensions.count ? values : nil
    }

    /// The extents, with each symbol replaced by its number in `symbols`; nil when one is missing.
    public func binding(_ symbols: [String: Int]) -> [Int]? {
        var extents: [Int] = []
        for dimension in dimensions {
            switch dimension {
            case .fixed(let value): extents.append(value)
            case .symbol(let name):
                guard let value = symbols[name] else { return nil }
                extents.append(value)
            }
        }
        return extents
    }

    /// The number of elements of a shape, which is at most ``maximumElementCount``.
    ///
    /// - Throws: ``TensorError/negativeDimension(_:)``, ``TensorError/rank(_:)`` or ``TensorError/overflow(_:)``.
    public static func elementCount(_ extents: [Int]) throws(TensorError) -> Int {
        guard extents.count <= maximumRank else { throw .rank(extents.count) }
        var count = 1
        var isEmpty = false
        for extent in extents {
            guard extent >= 0 else { throw .negativeDimension(extents) }
            if extent == 0 { isEmpty = true }
            let (product, overflow) = count.multipliedReportingOverflow(by: max(extent, 1))
            guard !overflow, product <= maximumElementCount else { throw .overflow(extents) }
            count = product
        }
        return isEmpty ? 0 : count
    }

    /// The number of bytes that a shape's elements take.
    package static func byteCount(_ extents: [Int], _ elementType: ElementType) throws(TensorError) -> Int {
        try elementCount(extents) * elementType.byteCount
    }

    /// The distance in elements between neighbours along each axis when the last axis is contiguous.
    package static func rowMajorStrides(_ extents: [Int]) -> [Int] {
        var strides = [Int](repeating: 1, count: extents.count)
        for axis in stride(from: extents.count - 2, through: 0, by: -1) {
            strides[axis] = strides[axis + 1] * max(extents[axis + 1], 1)
        }
        return strides
    }
}

extension Shape: ExpressibleByArrayLiteral, CustomStringConvertible {
    public init(arrayLiteral elements: Dimension...) { self.init(elements) }

    public var description: String {
        "[" + dimensions.map(\.description).joined(separator: ", ") + "]"
    }
}
