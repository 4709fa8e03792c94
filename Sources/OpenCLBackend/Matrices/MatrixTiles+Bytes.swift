extension MatrixTiles {
    /// The tiles of products of bytes, whose depth is counted in words of four, largest first. Efficiencies are those
    /// of float32 tiles that read as many words, times the rate of dot products; GPUs' were not measured.
    package static func ofBytes(_ device: DeviceInformation) -> [MatrixTiles] {
        let rate = (IntegerDot.candidates(device).first ?? .plain).rate(device)
        let all = (device.kind == .processor ? onProcessorOfBytes : onGPUOfBytes).map { tiles in
            var slower = tiles
            slower.efficiency *= rate
            return slower
        }
        let possible = all.filter { tiles in
            tiles.threadCount <= device.maximumWorkGroupSize && tiles.localByteCount <= device.localMemoryByteCount
        }
        return possible.isEmpty ? [smallestOfBytes] : possible
    }

    private static let onProcessorOfBytes = [
        MatrixTiles(
            rows: 32, columns: 64, depth: 8, part: .items(rows: 8, columns: 16, lanes: 16, prefetches: false),
            efficiency: 1),
        MatrixTiles(
            rows: 16, columns: 32, depth: 8, part: .items(rows: 4, columns: 8, lanes: 8, prefetches: false),
            efficiency: 0.8),
    ]

    /// The largest take 12.5 KB of local memory and 64 sums in registers; the smallest give every multiprocessor work
    /// where there are few pixels.
    private static let onGPUOfBytes = [
        MatrixTiles(
            rows: 128, columns: 128, depth: 8, part: .items(rows: 8, columns: 8), efficiency: 0.75, groupsPerUnit: 2,
            cyclesPerStep: 2300, extraSteps: 2),
        MatrixTiles(
            rows: 128, columns: 64, depth: 8, part: .items(rows: 8, columns: 8), efficiency: 0.74, groupsPerUnit: 4,
            cyclesPerStep: 2000, extraSteps: 2),
        MatrixTiles(
            rows: 64, columns: 64, depth: 8, part: .items(rows: 8, columns: 8), efficiency: 0.7, groupsPerUnit: 8,
            cyclesPerStep: 1850, extraSteps: 2),
        MatrixTiles(
            rows: 64, columns: 64, depth: 16, part: .items(rows: 4, columns: 4), efficiency: 0.57, groupsPerUnit: 3,
            cyclesPerStep: 1370, extraSteps: 2),
        MatrixTiles(
            rows: 32, columns: 64, depth: 16, part: .items(rows: 4, columns: 4), efficiency: 0.5, groupsPerUnit: 7,
            cyclesPerStep: 1700, extraSteps: 2),
        MatrixTiles(
            rows: 16, columns: 64, depth: 16, part: .items(rows: 2, columns: 4), efficiency: 0.38, groupsPerUnit: 8,
            cyclesPerStep: 1600, extraSteps: 2),
    ]

    private static let smallestOfBytes = MatrixTiles(
        rows: 4, columns: 16, depth: 8, part: .items(rows: 1, columns: 4), efficiency: 0.1)
}
