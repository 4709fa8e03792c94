extension TileShape {
    /// The tiles that are worth trying on a device, largest first. NVIDIA's efficiencies and cycles are fitted to times
    /// on an H100. The others are estimates.
    ///
    /// Tiles on tensor cores may need more local memory than NVIDIA's driver reports: 48 KiB, where a multiprocessor
    /// has 99 KiB or more from compute capability 8.0 on. ``OpenCLDevice/supports(_:)`` tries the largest.
    package static func candidates(
        _ device: DeviceInformation, _ precision: MatrixPrecision = .float32
    ) -> [TileShape] {
        let all =
            if precision.isOnTensorCores {
                onTensorCores(isHalf: precision == .float16)
            } else if device.kind == .processor {
                onProcessor
            } else {
                switch device.maker {
                case .intel: onIntel
                case .amd: onAMD
                case .nvidia, .other: onNVIDIA
                }
            }
        let possible = all.filter { tiles in
            tiles.threadCount <= device.maximumWorkGroupSize
                && (tiles.words != nil || tiles.localByteCount <= device.localMemoryByteCount)
        }
        return possible.isEmpty ? [smallest] : possible
    }

    private static let onProcessor = [
        TileShape(
            rows: 32, columns: 64, depth: 16, part: .items(rows: 8, columns: 16, lanes: 16, prefetches: false),
            efficiency: 1),
        TileShape(
            rows: 16, columns: 64, depth: 16, part: .items(rows: 4, columns: 16, lanes: 16, prefetches: false),
            efficiency: 0.8),
        TileShape(
            rows: 8, columns: 32, depth: 16, part: .items(rows: 2, columns: 8, lanes: 8, prefetches: false),
            efficiency: 0.5),
    ]

    private static let onIntel = [
        TileShape(rows: 64, columns: 64, depth: 16, part: .items(rows: 8, columns: 4), efficiency: 0.6),
        TileShape(rows: 32, columns: 64, depth: 16, part: .items(rows: 4, columns: 4), efficiency: 0.5),
        TileShape(rows: 8, columns: 64, depth: 16, part: .items(rows: 1, columns: 4), efficiency: 0.2),
    ]

    private static let onNVIDIA = [
        TileShape(
            rows: 128, columns: 128, depth: 16, part: .items(rows: 16, columns: 8), efficiency: 0.81, groupsPerUnit: 2,
            cyclesPerStep: 4600, extraSteps: 2),
        TileShape(
            rows: 128, columns: 64, depth: 16, part: .items(rows: 8, columns: 8), efficiency: 0.74, groupsPerUnit: 4,
            cyclesPerStep: 2000, extraSteps: 2),
        TileShape(
            rows: 64, columns: 128, depth: 16, part: .items(rows: 8, columns: 8), efficiency: 0.74, groupsPerUnit: 4,
            cyclesPerStep: 2200, extraSteps: 2),
        TileShape(
            rows: 64, columns: 64, depth: 16, part: .items(rows: 8, columns: 8), efficiency: 0.73, groupsPerUnit: 8,
            cyclesPerStep: 1850, extraSteps: 2),
        TileShape(
            rows: 64, columns: 64, depth: 16, part: .items(rows: 4, columns: 4), efficiency: 0.57, groupsPerUnit: 3,
            cyclesPerStep: 1370, extraSteps: 2),
        TileShape(
            rows: 32, columns: 64, depth: 32, part: .items(rows: 4, columns: 4), efficiency: 0.57, groupsPerUnit: 7,
            cyclesPerStep: 1700, extraSteps: 2),
        TileShape(
            rows: 16, columns: 64, depth: 32, part: .items(rows: 2, columns: 4), efficiency: 0.38, groupsPerUnit: 8,
            cyclesPerStep: 1600, extraSteps: 2),
        TileShape(
            rows: 8, columns: 128, depth: 32, part: .items(rows: 1, columns: 4), efficiency: 0.2, groupsPerUnit: 4,
            cyclesPerStep: 1600, extraSteps: 2),
    ]

    /// Tiles with groups of at least 64 work-items, the wavefront of CDNA and GCN, and less local memory per group, so
    /// that several groups share a compute unit.
    private static let onAMD = [
        TileShape(rows: 128, columns: 64, depth: 16, part: .items(rows: 8, columns: 4), efficiency: 0.7),
        TileShape(rows: 128, columns: 128, depth: 8, part: .items(rows: 8, columns: 8), efficiency: 0.7),
        TileShape(rows: 64, columns: 64, depth: 16, part: .items(rows: 4, columns: 4), efficiency: 0.6),
        TileShape(rows: 64, columns: 64, depth: 8, part: .items(rows: 8, columns: 8), efficiency: 0.55),
        TileShape(rows: 32, columns: 64, depth: 16, part: .items(rows: 2, columns: 4), efficiency: 0.4),
        TileShape(rows: 16, columns: 64, depth: 32, part: .items(rows: 1, columns: 4), efficiency: 0.25),
    ]

    private static func onTensorCores(isHalf: Bool) -> [TileShape] {
        func tiles(
            _ rows: Int, _ columns: Int, _ warpRows: Int, _ warpColumns: Int, stages: Int, _ efficiency: Double,
            _ groupsPerUnit: Int, _ cyclesPerStep: Int
        ) -> TileShape {
            TileShape(
                rows: rows, columns: columns, depth: 32,
                part: .warps(rows: warpRows, columns: warpColumns, stages: stages, isHalf: isHalf),
                efficiency: efficiency, groupsPerUnit: groupsPerUnit, cyclesPerStep: cyclesPerStep, extraSteps: 5)
        }
        return isHalf
            ? [
                tiles(128, 128, 64, 64, stages: 3, 3.7, 2, 1430), tiles(128, 128, 64, 32, stages: 4, 3.2, 1, 1000),
                tiles(128, 64, 64, 32, stages: 3, 3.3, 3, 1210), tiles(64, 64, 32, 32, stages: 4, 3, 4, 900),
                tiles(32, 64, 16, 32, stages: 4, 2.6, 5, 690), tiles(32, 32, 16, 16, stages: 4, 1.9, 5, 670),
            ]
            : [
                tiles(128, 128, 64, 64, stages: 3, 3, 2, 1960), tiles(128, 128, 64, 32, stages: 3, 2.65, 1, 1000),
                tiles(128, 64, 64, 32, stages: 3, 2.55, 3, 1790), tiles(64, 128, 32, 64, stages: 3, 2.6, 3, 1400),
                tiles(64, 64, 32, 32, stages: 3, 2.4, 4, 990), tiles(32, 64, 16, 32, stages: 4, 1.8, 4, 730),
                tiles(32, 32, 16, 16, stages: 4, 1.5, 5, 840),
            ]
    }

    /// Sixteen work-items with minimal demands on the device.
    private static let smallest = TileShape(
        rows: 4, columns: 16, depth: 16, part: .items(rows: 1, columns: 4), efficiency: 0.1)
}
