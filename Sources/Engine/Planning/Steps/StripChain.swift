/// Consecutive operations that run strip by strip: some rows of the last output at a time. Of the values between, only
/// the rows that these need are computed, so that they stay in a worker's cache.
///
/// An image's rows are divided into pieces for workers. Rows that strips of a piece share are kept; rows that pieces of
/// different workers share are computed twice.
package struct StripChain: Sendable {
    /// The operations of the draft, and the layers of the plan.
    package let operations: Range<Int>
    /// Rows of the last output per strip.
    package let rowsPerStrip: Int
    /// Bytes of memory for each worker.
    package let workerByteCount: Int

    let windows: [RowWindow]
    /// For each value between operations, the bytes of a row and where a worker's rows of it begin.
    let buffers: [Buffer]
    let imageCount: Int
    let piecesPerImage: Int
    let workerCount: Int
    /// Where a worker's scratch memory begins.
    let scratchOffset: Int

    struct Buffer: BitwiseCopyable {
        let rowByteCount: Int
        let offset: Int
    }

    /// Pieces per thread where there are several threads, so that they finish close together.
    private static let piecesPerThread = 2

    /// - Parameters:
    ///   - operations: The operations' positions in the draft.
    ///   - rowByteCounts: Bytes of a row of each value between the operations.
    ///   - capacity: The maximum bytes of the values between the operations.
    init(
        _ operations: Range<Int>, _ stages: [RowStage], _ rowByteCounts: [Int], capacity: Int, imageCount: Int,
        threadCount: Int
    ) {
        self.operations = operations
        self.imageCount = imageCount
        workerCount = threadCount
        windows = stages.map(\.window)
        let last = stages[stages.count - 1].window
        let height = last.outputHeight
        var rowsPerStrip = last.rowsPerGroup
        while rowsPerStrip < height,
            Self.byteCount(Self.rows(rowsPerStrip + last.rowsPerGroup, stages), rowByteCounts) <= capacity
        { rowsPerStrip += last.rowsPerGroup }
        self.rowsPerStrip = rowsPerStrip
        let wanted = threadCount == 1 ? 1 : Self.piecesPerThread * threadCount
        piecesPerImage = min(
            (height + rowsPerStrip - 1) / rowsPerStrip, (wanted + imageCount - 1) / max(imageCount, 1))
        var offset = Self.aligned(StripStep.progressByteCount(buffers: rowByteCounts.count))
        var buffers: [Buffer] = []
        for (rows, byteCount) in zip(Self.rows(rowsPerStrip, stages), rowByteCounts) {
            buffers.append(Buffer(rowByteCount: byteCount, offset: offset))
            offset += Self.aligned(rows * byteCount)
        }
        self.buffers = buffers
        scratchOffset = offset
        workerByteCount = offset + Self.aligned(stages.map(\.scratchByteCount).max() ?? 0)
    }

    var pieceCount: Int { imageCount * piecesPerImage }

    /// The rows of the last output in a piece of an image.
    func rows(ofPiece piece: Int) -> Range<Int> {
        let last = windows[windows.count - 1]
        let groups = (last.outputHeight + last.rowsPerGroup - 1) / last.rowsPerGroup
        func start(_ piece: Int) -> Int {
            min(piece * groups / piecesPerImage * last.rowsPerGroup, last.outputHeight)
        }
        return start(piece)..<start(piece + 1)
    }

    /// The maximum bytes that one group of rows of the last output needs of the values between operations.
    static func minimumByteCount(_ stages: [RowStage], _ rowByteCounts: [Int]) -> Int {
        byteCount(rows(stages[stages.count - 1].window.rowsPerGroup, stages), rowByteCounts)
    }

    /// The maximum rows of each value between operations that `count` rows of the last output need.
    private static func rows(_ count: Int, _ stages: [RowStage]) -> [Int] {
        var rows: [Int] = []
        var needed = count
        for (before, stage) in zip(stages, stages.dropFirst()).reversed() {
            needed = before.window.maximumRowsOfGroups(around: stage.window.maximumInputRows(for: needed))
            rows.append(needed)
        }
        return rows.reversed()
    }

    private static func byteCount(_ rows: [Int], _ rowByteCounts: [Int]) -> Int {
        zip(rows, rowByteCounts).reduce(0) { $0 + $1.0 * $1.1 }
    }

    private static func aligned(_ byteCount: Int) -> Int { (byteCount + 63) / 64 * 64 }
}
