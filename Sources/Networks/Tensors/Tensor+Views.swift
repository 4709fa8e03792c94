extension Tensor {
    /// A view of `range` along `axis`.
    ///
    /// - Throws: ``TensorError/view(_:)`` when the axis or the range lies outside the tensor.
    public func sliced(axis: Int, _ range: Range<Int>) throws(TensorError) -> Tensor {
        guard shape.indices.contains(axis), range.lowerBound >= 0, range.upperBound <= shape[axis] else {
            throw .view("slice \(range) of axis \(axis) lies outside shape \(shape)")
        }
        var extents = shape
        extents[axis] = range.count
        return Tensor(
            elementType: elementType, shape: extents, strides: strides,
            offset: offset + range.lowerBound * strides[axis], storage: storage)
    }

    /// A view with permuted axes: axis `i` of the result is axis `permutation[i]` of this tensor.
    ///
    /// - Throws: ``TensorError/view(_:)`` when `permutation` is not a permutation of the axes.
    public func transposed(_ permutation: [Int]) throws(TensorError) -> Tensor {
        guard permutation.sorted() == Array(shape.indices) else {
            throw .view("\(permutation) does not permute the \(shape.count) axes of shape \(shape)")
        }
        return Tensor(
            elementType: elementType, shape: permutation.map { shape[$0] }, strides: permutation.map { strides[$0] },
            offset: offset, storage: storage)
    }

    /// The same elements, in row-major order, with another shape; copies only when the elements are not contiguous.
    ///
    /// - Throws: ``TensorError/elementCount(expected:found:shape:)`` when the counts differ.
    public func reshaped(to shape: [Int]) throws(TensorError) -> Tensor {
        let count = try Shape.elementCount(shape)
        guard count == elementCount else {
            throw .elementCount(expected: count, found: elementCount, shape: shape)
        }
        let source = try contiguous()
        return Tensor(
            elementType: elementType, shape: shape, strides: Shape.rowMajorStrides(shape), offset: source.offset,
            storage: source.storage)
    }
}
