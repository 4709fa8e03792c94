import Tensors

extension Tensor {
    /// A copy whose `axis` has `count` elements, each from the position that `source` gives.
    ///
    /// - Parameters:
    ///   - fill: One element of this tensor's type, used where `source` is nil.
    ///   - source: Gives the position along `axis` of this tensor for a position of the result.
    package func gathering(
        axis: Int, count: Int, fill: Tensor, from source: (Int) -> Int?
    ) throws -> Tensor {
        var extents = shape
        extents[axis] = count
        let (outer, extent) = (shape[..<axis].reduce(1, *), shape[axis])
        let length = shape[(axis + 1)...].reduce(1, *) * elementType.byteCount
        let pattern = try fill.broadcast(to: Array(shape[(axis + 1)...])).contiguous()
        return try Tensor(elementType, shape: extents) { target in
            guard let start = target.baseAddress, !target.isEmpty else { return }
            try withContiguousBytes { bytes in
                for index in 0..<count {
                    let position = source(index)
                    for row in 0..<outer {
                        var origin = UnsafeRawPointer(pattern.firstElement)
                        if let position, let first = bytes.baseAddress {
                            origin = first + (row * extent + position) * length
                        }
                        (start + (row * count + index) * length).copyMemory(from: origin, byteCount: length)
                    }
                }
            }
            withExtendedLifetime(pattern) {}
        }
    }
}
