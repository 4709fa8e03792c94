extension TileShape {
    /// The tiles of products of bytes, whose depth is counted in words of four, largest first. Efficiencies are those
    /// of float32 tiles that read as many words, times the rate of dot products; GPUs' were not measured.
    ///
    /// - Parameter onTensorCores: Whether tensor cores multiply bytes, too.
    package static func ofBytes(_ device: DeviceInformation, onTensorCores: Bool = false) -> [TileShape] {
        let rate = (IntegerDot.candidates(device).first ?? .plain).rate(device)
        let all = (device.kind == .processor ? onProcessorOfBytes : onGPUOfBytes).map { tiles in
            var slower = tiles
            slower.efficiency *= rate
            return slower
        }
        let possible = ((onTensorCores ? onTensorCoresOfBytes : []) + all).filter { tiles in
            tiles.threadCount <= device.maximumWorkGroupSize && tiles.localByteCount <= device.localMemoryByteCount
        }
        return possible.isEmpty ? [smallestOfBytes] : possible
    }

    private static let onProcessorOfBytes = [
        TileShape(
            rows: 32, columns: 64, depth: 8, part: .items(rows: 8, columns: 16, lanes: 16, prefetches: false),
            efficiency: 1),
        TileShape(
            rows: 16, columns: 32, depth: 8, part: .items(rows: 4, columns: 8, lanes: 8, prefetches: false),
            efficiency: 0.8),
    ]

    /// The largest take 12.5 KB of local memory and 64 sums in registers; the smallest give every multiprocessor work
    /// where there are few pixels.
    private static let onGPUOfBytes = [
        TileShape(
            rows: 128, columns: 128, depth: 8, part: .items(rows: 8, columns: 8), efficiency: 0.75, groupsPerUnit: 2,
            cyclesPerStep: 2300, extraSteps: 2),
        TileShape(
            rows: 128, columns: 64, depth: 8, part: .items(rows: 8, columns: 8), efficiency: 0.74, groupsPerUnit: 4,
            cyclesPerStep: 2000, extraSteps: 2),
        TileShape(
            rows: 64, columns: 64, depth: 8, part: .items(rows: 8, columns: 8), efficiency: 0.7, groupsPerUnit: 8,
            cyclesPerStep: 1850, extraSteps: 2),
        TileShape(
            rows: 64, columns: 64, depth: 16, part: .items(rows: 4, columns: 4), efficiency: 0.57, groupsPerUnit: 3,
            cyclesPerStep: 1370, extraSteps: 2),
        TileShape(
            rows: 32, columns: 64, depth: 16, part: .items(rows: 4, columns: 4), efficiency: 0.5, groupsPerUnit: 7,
            cyclesPerStep: 1700, extraSteps: 2),
        TileShape(
            rows: 16, columns: 64, depth: 16, part: .items(rows: 2, columns: 4), efficiency: 0.38, groupsPerUnit: 8,
            cyclesPerStep: 1600, extraSteps: 2),
    ]

    /// Efficiencies and cycles are estimates: fragments of 16 by 8 sums take eight words of the depth at a time.
    private static let onTensorCoresOfBytes: [TileShape] = {
        func tiles(
            _ rows: Int, _ columns: Int, _ warpRows: Int, _ warpColumns: Int, _ efficiency: Double,
            _ groupsPerUnit: Int, _ cyclesPerStep: Int
        ) -> TileShape {
            TileShape(
                rows: rows, columns: columns, depth: 16, part: .warpsOfBytes(rows: warpRows, columns: warpColumns),
                efficiency: efficiency, groupsPerUnit: groupsPerUnit, cyclesPerStep: cyclesPerStep, extraSteps: 2)
        }
        return [
            tiles(128, 128, 64, 32, 2.2, 1, 1100), tiles(128, 64, 64, 32, 2, 3, 1300),
            tiles(64, 64, 32, 32, 1.8, 4, 950), tiles(32, 64, 16, 32, 1.4, 6, 850),
            tiles(32, 32, 16, 16, 1, 8, 800),
        ]
    }()

    private static let smallestOfBytes = TileShape(
        rows: 4, columns: 16, depth: 8, part: .items(rows: 1, columns: 4), efficiency: 0.1)
}
