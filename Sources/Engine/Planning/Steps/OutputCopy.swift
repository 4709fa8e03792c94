import Tensors

/// A copy of a planned value, or of a part of it, into other memory of the processor.
struct OutputCopy {
    let shape: [Int]
    let elementByteCount: Int
    let source: UnsafeRawPointer
    let sourceStrides: [Int]
    let destination: UnsafeMutableRawPointer
    let destinationStrides: [Int]

    /// The minimum bytes for which waking other threads is worthwhile.
    private static let minimumByteCount = 256 << 10
    private static let partsPerThread = 4

    /// Copies everything, large arrays on all threads. It allocates nothing.
    func run(on workers: any Workers) {
        let byteCount = shape.reduce(elementByteCount, *)
        let axis = isDense ? nil : dividedAxis
        let extent = axis.map { shape[$0] } ?? byteCount
        guard workers.count > 1, byteCount >= Self.minimumByteCount else { return copyAll() }
        let count = min(extent, Self.partsPerThread * workers.count)
        let parts = Parts(copy: self, axis: axis, extent: extent, count: count)
        withUnsafePointer(to: parts) { parts in
            workers.run(parts.pointee.count, parts) { context, index, _ in
                context.assumingMemoryBound(to: Parts.self).pointee.run(index)
            }
        }
    }

    /// Whether the elements lie one after another on both sides, in the same order.
    private var isDense: Bool { isRowMajor(shape, sourceStrides) && isRowMajor(shape, destinationStrides) }

    /// The longest axis but the last, whose rows stay whole; the last where there is no other.
    private var dividedAxis: Int? {
        guard shape.count > 1 else { return shape.indices.first }
        return shape.indices.dropLast().max { shape[$0] < shape[$1] }
    }

    private func copyAll() {
        copyStrided(
            shape: shape, elementByteCount: elementByteCount, from: source, sourceStrides: sourceStrides,
            to: destination, destinationStrides: destinationStrides)
    }

    /// The division of a copy along an axis, or of its bytes where they are dense.
    private struct Parts {
        let copy: OutputCopy
        let axis: Int?
        let extent: Int
        let count: Int

        func run(_ index: Int) {
            let positions = extent * index / count..<extent * (index + 1) / count
            guard let axis else {
                let start = positions.lowerBound
                (copy.destination + start).copyMemory(from: copy.source + start, byteCount: positions.count)
                return
            }
            copyStrided(
                shape: copy.shape, elementByteCount: copy.elementByteCount, from: copy.source,
                sourceStrides: copy.sourceStrides, to: copy.destination, destinationStrides: copy.destinationStrides,
                part: (axis, positions))
        }
    }
}
