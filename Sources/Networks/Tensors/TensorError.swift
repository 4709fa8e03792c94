/// The reason why a tensor or a view of one could not be made.
public enum TensorError: Error, Sendable, Equatable {
    /// A dimension is negative.
    case negativeDimension([Int])
    /// The number of elements exceeds ``Shape/maximumElementCount``.
    case overflow([Int])
    /// The number of axes exceeds ``Shape/maximumRank``.
    case rank(Int)
    /// Allocating the bytes would exceed the memory budget. All numbers are bytes.
    case overBudget(requested: Int, inUse: Int, limit: Int)
    /// The operating system refused to give the bytes.
    case outOfMemory(requested: Int)
    /// The number of values is not that of the shape's elements.
    case elementCount(expected: Int, found: Int, shape: [Int])
    /// The elements have another type than the requested one.
    case elementType(expected: ElementType, found: ElementType)
    /// A view does not lie inside its tensor.
    case view(String)
    /// The elements lie in a file from which they can no longer be read.
    case unreadable(String)
}

extension TensorError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .negativeDimension(let shape): "shape \(shape) has a negative dimension"
        case .overflow(let shape): "shape \(shape) holds more elements than can be addressed"
        case .rank(let rank): "has \(rank) axes; at most \(Shape.maximumRank) are possible"
        case .overBudget(let requested, let inUse, let limit):
            "needs \(Self.size(requested)); \(Self.size(inUse)) of the memory budget of \(Self.size(limit)) are in use"
        case .outOfMemory(let requested): "the system could not provide \(Self.size(requested))"
        case .elementCount(let expected, let found, let shape):
            "shape \(shape) holds \(expected) elements, but \(found) are given"
        case .elementType(let expected, let found): "elements are \(found), not \(expected)"
        case .view(let message), .unreadable(let message): message
        }
    }

    /// A number of bytes in a readable unit.
    private static func size(_ byteCount: Int) -> String {
        byteCount < 1 << 20 ? "\(byteCount) bytes" : "\((byteCount - 1) >> 20 + 1) MiB"
    }

    /// Whether the error is a lack of memory.
    package var isLackOfMemory: Bool {
        switch self {
        case .overBudget, .outOfMemory: true
        default: false
        }
    }
}
