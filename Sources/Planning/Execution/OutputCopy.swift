import Tensors

/// A copy of a planned value, or of a part of it, into an array of the caller.
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
        // Innermost rows stay whole, where there are others.
        let outer = shape.indices.dropLast(shape.count > 1 ? 1 : 0)
        let byteCount = shape.reduce(elementByteCount, *)
        guard workers.count > 1, byteCount >= Self.minimumByteCount,
            let axis = outer.max(by: { shape[$0] < shape[$1] })
        else { return copy(axis: 0, 0..<(shape.first ?? 1)) }
        let pieces = Pieces(
            copy: self, axis: axis, count: min(shape[axis], Self.piecesPerThread * workers.count))
        withUnsafePointer(to: pieces) { pieces in
            workers.run(pieces.pointee.count, pieces) { context, index, _ in
                let pieces = context.assumingMemoryBound(to: Pieces.self).pointee
                let extent = pieces.copy.shape[pieces.axis]
                pieces.copy.copy(
                    axis: pieces.axis, extent * index / pieces.count..<extent * (index + 1) / pieces.count)
            }
        }
    }

    /// The division of a copy along an axis.
    private struct Pieces {
        let copy: OutputCopy
        let axis: Int
        let count: Int
    }

    /// Copies some positions of an axis.
    private func copy(axis: Int, _ positions: Range<Int>) {
        var part = shape
        if !part.isEmpty { part[axis] = positions.count }
        let first = positions.lowerBound * elementByteCount
        copyStrided(
            shape: part, elementByteCount: elementByteCount,
            from: source + (shape.isEmpty ? 0 : first * sourceStrides[axis]), sourceStrides: sourceStrides,
            to: destination + (shape.isEmpty ? 0 : first * destinationStrides[axis]),
            destinationStrides: destinationStrides)
    }
}
