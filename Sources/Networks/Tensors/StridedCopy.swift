/// Copies a strided array of `shape` elements, or some positions of one of its axes, to another strided array. It
/// allocates no memory.
///
/// - Parameters:
///   - elementByteCount: 1, 2, 4 or 8.
///   - sourceStrides: The distances between adjacent elements along each axis, in elements.
///   - destinationStrides: Likewise. The arrays must not overlap.
///   - part: An axis, and the positions that are copied along it; everything when nil.
package func copyStrided(
    shape: [Int], elementByteCount: Int, from source: UnsafeRawPointer, sourceStrides: [Int],
    to destination: UnsafeMutableRawPointer, destinationStrides: [Int], part: (axis: Int, positions: Range<Int>)? = nil
) {
    if part == nil, isRowMajor(shape, sourceStrides), isRowMajor(shape, destinationStrides) {
        destination.copyMemory(from: source, byteCount: shape.reduce(1, *) * elementByteCount)
        return
    }
    switch elementByteCount {
    case 1: copy(UInt8.self)
    case 2: copy(UInt16.self)
    case 4: copy(UInt32.self)
    default: copy(UInt64.self)
    }

    func extent(_ axis: Int) -> Int {
        if let part, part.axis == axis { part.positions.count } else { shape[axis] }
    }

    @inline(__always)
    func copy<Bits: FixedWidthInteger & BitwiseCopyable>(_: Bits.Type) {
        let from = source.assumingMemoryBound(to: Bits.self) + start(sourceStrides)
        let to = destination.assumingMemoryBound(to: Bits.self) + start(destinationStrides)
        let last = shape.count - 1
        let inner = shape.isEmpty ? 1 : extent(last)
        let fromStep = sourceStrides.last ?? 1
        let toStep = destinationStrides.last ?? 1
        guard let axis = transposedAxis(shape, sourceStrides, destinationStrides) else {
            forEachRow(last, extent, sourceStrides, destinationStrides) { fromRow, toRow in
                for index in 0..<inner { to[toRow + index * toStep] = from[fromRow + index * fromStep] }
            }
            return
        }
        let (rows, rowStep) = (extent(axis), destinationStrides[axis])
        forEachRow(last, { $0 == axis ? 1 : extent($0) }, sourceStrides, destinationStrides) { fromRow, toRow in
            for i in stride(from: 0, to: rows, by: transposedBlock) {
                for j in stride(from: 0, to: inner, by: transposedBlock) {
                    for row in i..<min(i + transposedBlock, rows) {
                        let (source, destination) = (from + fromRow + row, to + toRow + row * rowStep)
                        for column in j..<min(j + transposedBlock, inner) {
                            destination[column] = source[column * fromStep]
                        }
                    }
                }
            }
        }
    }

    func start(_ strides: [Int]) -> Int {
        part.map { $0.positions.lowerBound * strides[$0.axis] } ?? 0
    }
}

/// The rows and columns of a block that is transposed at a time, so that cache lines of both arrays are used whole.
private let transposedBlock = 16

/// The axis whose elements are adjacent in the source, where those of the last axis are adjacent only in the
/// destination.
private func transposedAxis(_ shape: [Int], _ source: [Int], _ destination: [Int]) -> Int? {
    guard let from = source.last, from != 1, destination.last == 1 else { return nil }
    return shape.indices.dropLast().first { source[$0] == 1 && shape[$0] > 1 }
}

/// Whether `strides` are those of a row-major array without gaps. The strides of axes of extent 1 are ignored.
package func isRowMajor(_ shape: [Int], _ strides: [Int]) -> Bool {
    var expected = 1
    for axis in stride(from: shape.count - 1, through: 0, by: -1) where shape[axis] != 1 {
        if shape[axis] == 0 { return true }
        if strides[axis] != expected { return false }
        expected *= shape[axis]
    }
    return true
}

/// Calls `body` with the positions of every row in both arrays, in row-major order.
///
/// - Parameters:
///   - count: The number of axes before the innermost.
///   - extent: The extent of an axis.
private func forEachRow(
    _ count: Int, _ extent: (Int) -> Int, _ first: [Int], _ second: [Int], _ body: (Int, Int) -> Void
) {
    let outer = max(count, 0)
    for axis in 0..<outer where extent(axis) == 0 { return }
    withUnsafeTemporaryAllocation(of: Int.self, capacity: max(outer, 1)) { index in
        index.initialize(repeating: 0)
        var firstPosition = 0
        var secondPosition = 0
        while true {
            body(firstPosition, secondPosition)
            var axis = outer - 1
            while axis >= 0 {
                index[axis] += 1
                firstPosition += first[axis]
                secondPosition += second[axis]
                if index[axis] < extent(axis) { break }
                firstPosition -= first[axis] * extent(axis)
                secondPosition -= second[axis] * extent(axis)
                index[axis] = 0
                axis -= 1
            }
            if axis < 0 { return }
        }
    }
}
