import Tensors

/// The type of a value before the network runs: element type, extents, and its content when that is small and the same
/// in every run, as in shape arithmetic.
package struct TensorType: Sendable {
    package var elementType: ElementType
    package var shape: [Int]
    /// The content, when it is known and small enough to compute shapes with.
    package var constant: Tensor?

    package init(_ elementType: ElementType, _ shape: [Int], constant: Tensor? = nil) {
        self.elementType = elementType
        self.shape = shape
        self.constant = constant
    }

    package init(_ tensor: Tensor, keepingContent: Bool = true) {
        self.init(tensor.elementType, tensor.shape, constant: keepingContent ? tensor : nil)
    }

    package var rank: Int { shape.count }

    /// The number of elements; shapes are checked against overflow when they are inferred.
    package var elementCount: Int { shape.reduce(1, *) }

    package var byteCount: Int { elementCount * elementType.byteCount }
}

extension TensorType: CustomStringConvertible {
    package var description: String { "\(elementType)\(shape)" }
}
