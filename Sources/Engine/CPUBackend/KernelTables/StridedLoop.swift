import CPUKernels
import Planning

/// A loop over up to two inputs and an output, in the output's memory order, with axes merged where all three allow it.
package struct StridedLoop {
    /// The maximum number of axes that the kernels support.
    package static let maximumRank = Int(APUS_LOOP_MAXIMUM_RANK)

    package var loop = apus_loop()
    /// The number of pieces into which the loop is divided.
    package private(set) var pieceCount = 1
    private var rowCount = 1

    /// Elements per piece: enough to outweigh the cost of handing the piece to a thread.
    private static let pieceLength = 16_384

    /// - Parameter elementsPerPosition: The number of elements on which the work at each position depends.
    /// - Returns: nil when more axes remain than the kernels support.
    package init?(shape: [Int], a: [Int], b: [Int]?, output: [Int], elementsPerPosition: Int = 1) {
        typealias Axis = (extent: Int, a: Int, b: Int, output: Int)
        var axes: [Axis] = shape.indices.map { (shape[$0], a[$0], b?[$0] ?? 0, output[$0]) }
        axes = axes.filter { $0.extent != 1 }.sorted { $0.output > $1.output }
        var merged: [Axis] = []
        for axis in axes {
            if let last = merged.last, last.a == axis.a * axis.extent, last.b == axis.b * axis.extent,
                last.output == axis.output * axis.extent
            {
                merged[merged.count - 1] = (last.extent * axis.extent, axis.a, axis.b, axis.output)
            } else {
                merged.append(axis)
            }
        }
        if merged.isEmpty { merged = [(1, 1, 1, 1)] }
        let positionsPerPiece = max(1, Self.pieceLength / max(1, elementsPerPosition))
        if merged.count == 1 { merged = Self.cut(merged[0], positionsPerPiece) }
        guard merged.count <= Self.maximumRank else { return nil }
        loop.rank = merged.count
        withUnsafeMutableBytes(of: &loop.extents) { $0.copy(merged.map(\.extent)) }
        withUnsafeMutableBytes(of: &loop.a_strides) { $0.copy(merged.map(\.a)) }
        withUnsafeMutableBytes(of: &loop.b_strides) { $0.copy(merged.map(\.b)) }
        withUnsafeMutableBytes(of: &loop.output_strides) { $0.copy(merged.map(\.output)) }
        rowCount = merged.dropLast().reduce(1) { $0 * $1.extent }
        let total = shape.reduce(1, *)
        pieceCount = total == 0 ? 0 : max(1, min(rowCount, total / positionsPerPiece))
    }

    /// Divides a single axis into rows when its extent divides evenly, so that threads can share it.
    private static func cut(
        _ axis: (extent: Int, a: Int, b: Int, output: Int), _ positionsPerPiece: Int
    ) -> [(extent: Int, a: Int, b: Int, output: Int)] {
        var parts = axis.extent / positionsPerPiece
        while parts > 1, axis.extent % parts != 0 { parts -= 1 }
        guard parts > 1 else { return [axis] }
        let length = axis.extent / parts
        return [(parts, axis.a * length, axis.b * length, axis.output * length), (length, axis.a, axis.b, axis.output)]
    }

    /// The extent of the innermost axis.
    package var innerExtent: Int { axis(loop.extents, loop.rank - 1) }

    /// Distances between neighbours of a row, in elements.
    package var innerStrides: (a: Int, output: Int) {
        (axis(loop.a_strides, loop.rank - 1), axis(loop.output_strides, loop.rank - 1))
    }

    /// The position of a row in the first input and in the output.
    package func position(ofRow row: Int) -> (a: Int, output: Int) {
        var rest = row
        var position = (a: 0, output: 0)
        for index in stride(from: loop.rank - 2, through: 0, by: -1) {
            let step: Int
            (rest, step) = rest.quotientAndRemainder(dividingBy: axis(loop.extents, index))
            position.a += step * axis(loop.a_strides, index)
            position.output += step * axis(loop.output_strides, index)
        }
        return position
    }

    private func axis<Values>(_ values: Values, _ index: Int) -> Int {
        withUnsafeBytes(of: values) { $0.load(fromByteOffset: index * MemoryLayout<Int>.stride, as: Int.self) }
    }

    /// The rows of a piece.
    package func rows(_ piece: Int) -> Range<Int> {
        (piece * rowCount / pieceCount)..<((piece + 1) * rowCount / pieceCount)
    }
}

extension StridedLoop: BitwiseCopyable {}

extension UnsafeMutableRawBufferPointer {
    /// Copies numbers to the beginning.
    func copy(_ values: [Int]) {
        values.withUnsafeBytes { copyMemory(from: $0) }
    }
}

/// The strides of `operand` seen as an array of `shape`: 0 along axes that are broadcast.
func broadcastStrides(_ operand: Operand, to shape: [Int]) -> [Int] {
    let missing = shape.count - operand.shape.count
    return shape.indices.map { axis in
        axis < missing || operand.shape[axis - missing] == 1 ? 0 : operand.strides[axis - missing]
    }
}
