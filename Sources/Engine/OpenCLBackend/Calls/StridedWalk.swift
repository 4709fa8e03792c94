import Planning

/// A loop over arrays of one shape, in the memory order of the first array, with axes merged where all arrays allow it.
/// It has the extents and strides that `walk.cl` takes.
struct StridedWalk: Sendable {
    /// The maximum number of axes that kernels support.
    static let maximumRank = 8

    private(set) var extents: [Int]
    /// The strides of each array, 0 along axes where it is broadcast.
    private(set) var strides: [[Int]]

    var rank: Int { extents.count }
    var count: Int { extents.reduce(1, *) }

    /// - Parameter arrays: The strides of each array along the axes of `shape`.
    init(_ shape: [Int], _ arrays: [[Int]]) {
        let axes = shape.indices.filter { shape[$0] != 1 }.sorted { arrays[0][$0] > arrays[0][$1] }
        extents = []
        strides = arrays.map { _ in [] }
        for axis in axes {
            let steps = arrays.map { $0[axis] }
            if !extents.isEmpty, zip(strides, steps).allSatisfy({ $0[extents.count - 1] == $1 * shape[axis] }) {
                extents[extents.count - 1] *= shape[axis]
                for index in arrays.indices { strides[index][extents.count - 1] = steps[index] }
            } else {
                extents.append(shape[axis])
                for index in arrays.indices { strides[index].append(steps[index]) }
            }
        }
        if extents.isEmpty {
            extents = [1]
            strides = arrays.map { _ in [1] }
        }
    }

    /// The strides of an operand along the axes of `shape`: 0 along axes that are broadcast.
    static func strides(of operand: Operand, over shape: [Int]) -> [Int] {
        let missing = shape.count - operand.shape.count
        return shape.indices.map { axis in
            axis < missing || operand.shape[axis - missing] == 1 ? 0 : operand.strides[axis - missing]
        }
    }

    /// The widest vector along the last axis such that the first array is dense there and the others are dense or
    /// broadcast.
    func vectorWidth(positions: [Int]) -> Int {
        let last = strides.map { $0[rank - 1] }
        guard last[0] == 1, last.allSatisfy({ $0 == 0 || $0 == 1 }) else { return 1 }
        let outer = zip(strides, last).flatMap { $1 == 0 ? [] : Array($0.dropLast()) }
        let starts = zip(positions, last).map { $1 == 0 ? 0 : $0 }
        return ([extents[rank - 1]] + outer + starts).vectorWidth
    }
}
