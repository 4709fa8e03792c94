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
    private static let piecesPerThread = 4

    /// Copies everything, large arrays on all threads.
    func run(on workers: any Workers) {
        if shape.count > 1, isRowMajor(shape, sourceStrides), isRowMajor(shape, destinationStrides) {
            return OutputCopy(
                shape: [shape.reduce(1, *)], elementByteCount: elementByteCount, source: source, sourceStrides: [1],
                destination: destination, destinationStrides: [1]
            ).run(on: workers)
        }
        guard workers.count > 1, shape.reduce(elementByteCount, *) >= Self.minimumByteCount, let axis = dividedAxis
        else {
            return copy(nil)
        }
        let pieces = Pieces(copy: self, axis: axis, count: min(shape[axis], Self.piecesPerThread * workers.count))
        withUnsafePointer(to: pieces) { pieces in
            workers.run(pieces.pointee.count, pieces) { context, index, _ in
                let pieces = context.assumingMemoryBound(to: Pieces.self).pointee
                let extent = pieces.copy.shape[pieces.axis]
                pieces.copy.copy(
                    (pieces.axis, extent * index / pieces.count..<extent * (index + 1) / pieces.count))
            }
        }
    }

    /// The longest axis but the last, whose rows stay whole; the last where there is no other.
    private var dividedAxis: Int? {
        guard shape.count > 1 else { return shape.indices.first }
        return shape.indices.dropLast().max { shape[$0] < shape[$1] }
    }

    /// The division of a copy along an axis.
    private struct Pieces {
        let copy: OutputCopy
        let axis: Int
        let count: Int
    }

    private func copy(_ part: (axis: Int, positions: Range<Int>)?) {
        copyStrided(
            shape: shape, elementByteCount: elementByteCount, from: source, sourceStrides: sourceStrides,
            to: destination, destinationStrides: destinationStrides, part: part)
    }
}
