import Tensors

/// How a planned value's elements are ordered in memory; logical shapes stay `[N, C, …]`.
package enum Layout: String, Sendable, Hashable {
    /// The last axis is contiguous.
    case rowMajor = "row-major"
    /// The second axis, the channels, is contiguous; the others follow in their order (NHWC).
    case channelsLast = "channels-last"

    /// Distances in elements between neighbours along each axis of a dense array.
    package func strides(_ shape: [Int]) -> [Int] {
        guard self == .channelsLast, shape.count >= 3 else { return Shape.rowMajorStrides(shape) }
        let memoryOrder = [shape[0]] + shape[2...] + [shape[1]]
        let memoryStrides = Shape.rowMajorStrides(memoryOrder)
        return [memoryStrides[0], 1] + memoryStrides[1..<(shape.count - 1)]
    }

    /// Whether `strides` are those of a dense array in this layout; axes of extent 1 do not count.
    package func describes(_ shape: [Int], _ strides: [Int]) -> Bool {
        zip(shape, zip(strides, self.strides(shape))).allSatisfy { $0 == 1 || $1.0 == $1.1 }
    }

    /// Whether the elements of an array of this shape have the same order in both layouts.
    package static func coincide(_ shape: [Int]) -> Bool {
        shape.count < 3 || shape[1] == 1 || shape[2...].allSatisfy { $0 == 1 }
    }
}

extension Tensor {
    /// A dense copy of the tensor in a layout.
    func arranged(as layout: Layout) throws(TensorError) -> Tensor {
        guard layout == .channelsLast, shape.count >= 3 else { return try contiguous() }
        let axes = Array(shape.indices)
        let memoryOrder = [0] + axes[2...] + [1]
        let restored = [0, axes.count - 1] + axes[1..<(axes.count - 1)]
        return try transposed(memoryOrder).contiguous().transposed(restored)
    }
}
