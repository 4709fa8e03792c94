extension MatrixTiles {
    /// The tiles that are worth trying on a device, largest first. Their efficiencies are estimates.
    package static func candidates(
        _ device: DeviceInformation, _ precision: MatrixPrecision = .float32
    ) -> [MatrixTiles] {
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
        let possible = all.filter {
            $0.threadCount <= device.largestWorkGroup && $0.localByteCount <= device.localMemoryByteCount
        }
        return possible.isEmpty ? [smallest] : possible
    }

    private static let onProcessor = [
        MatrixTiles(
            rows: 32, columns: 64, depth: 16, part: .items(rows: 8, columns: 16, lanes: 16, prefetches: false),
            efficiency: 1),
        MatrixTiles(
            rows: 16, columns: 64, depth: 16, part: .items(rows: 4, columns: 16, lanes: 16, prefetches: false),
            efficiency: 0.8),
        MatrixTiles(
            rows: 8, columns: 32, depth: 16, part: .items(rows: 2, columns: 8, lanes: 8, prefetches: false),
            efficiency: 0.5),
    ]

    private static let onIntel = [
        MatrixTiles(rows: 64, columns: 64, depth: 16, part: .items(rows: 8, columns: 4), efficiency: 0.6),
        MatrixTiles(rows: 32, columns: 64, depth: 16, part: .items(rows: 4, columns: 4), efficiency: 0.5),
        MatrixTiles(rows: 8, columns: 64, depth: 16, part: .items(rows: 1, columns: 4), efficiency: 0.2),
    ]

    private static let onNVIDIA = [
        MatrixTiles(rows: 128, columns: 128, depth: 16, part: .items(rows: 8, columns: 8), efficiency: 0.85),
        MatrixTiles(rows: 128, columns: 128, depth: 8, part: .items(rows: 8, columns: 8), efficiency: 0.8),
        MatrixTiles(rows: 128, columns: 64, depth: 16, part: .items(rows: 8, columns: 4), efficiency: 0.8),
        MatrixTiles(rows: 64, columns: 64, depth: 16, part: .items(rows: 4, columns: 4), efficiency: 0.6),
        MatrixTiles(rows: 32, columns: 64, depth: 16, part: .items(rows: 2, columns: 4), efficiency: 0.4),
        MatrixTiles(rows: 16, columns: 64, depth: 32, part: .items(rows: 1, columns: 4), efficiency: 0.25),
        MatrixTiles(rows: 8, columns: 128, depth: 32, part: .items(rows: 1, columns: 4), efficiency: 0.2),
    ]

    /// Tiles with groups of at least 64 work-items, the wavefront of CDNA and GCN, and less local memory per group, so
    /// that several groups share a compute unit.
    private static let onAMD = [
        MatrixTiles(rows: 128, columns: 64, depth: 16, part: .items(rows: 8, columns: 4), efficiency: 0.7),
        MatrixTiles(rows: 128, columns: 128, depth: 8, part: .items(rows: 8, columns: 8), efficiency: 0.7),
        MatrixTiles(rows: 64, columns: 64, depth: 16, part: .items(rows: 4, columns: 4), efficiency: 0.6),
        MatrixTiles(rows: 64, columns: 64, depth: 8, part: .items(rows: 8, columns: 8), efficiency: 0.55),
        MatrixTiles(rows: 32, columns: 64, depth: 16, part: .items(rows: 2, columns: 4), efficiency: 0.4),
        MatrixTiles(rows: 16, columns: 64, depth: 32, part: .items(rows: 1, columns: 4), efficiency: 0.25),
    ]

    /// Tensor cores multiply about four times as fast in tf32, and eight times as fast in float16, as other cores in
    /// float32.
    private static func onTensorCores(isHalf: Bool) -> [MatrixTiles] {
        let gain = isHalf ? 8.0 : 4.0
        func tiles(_ rows: Int, _ columns: Int, _ warpRows: Int, _ warpColumns: Int, _ part: Double) -> MatrixTiles {
            MatrixTiles(
                rows: rows, columns: columns, depth: isHalf ? 32 : 16,
                part: .warps(rows: warpRows, columns: warpColumns, isHalf: isHalf), efficiency: gain * part)
        }
        return [
            tiles(128, 128, 64, 32, 0.6), tiles(128, 64, 32, 32, 0.5), tiles(64, 64, 32, 32, 0.35),
            tiles(32, 64, 16, 32, 0.2),
        ]
    }

    /// Sixteen work-items with minimal demands on the device.
    private static let smallest = MatrixTiles(
        rows: 4, columns: 16, depth: 16, part: .items(rows: 1, columns: 4), efficiency: 0.1)
}
