/// The division of matrix products into work-groups and work-items: the macros of `product.cl`.
package struct TileShape: Sendable, Hashable {
    /// The unit that computes a part of a work-group's tile.
    package enum Part: Sendable, Hashable {
        /// Work-items, each with `rows` rows and `columns` columns, in vectors of `lanes` adjacent columns. Work-items
        /// that prefetch read the next tiles into registers while these are multiplied.
        case items(rows: Int, columns: Int, lanes: Int = 4, prefetches: Bool = true)
        /// Warps of 32 work-items on tensor cores.
        /// `stages` tiles of both operands are in local memory or on their way to it.
        case warps(rows: Int, columns: Int, stages: Int, isHalf: Bool)
        /// The same for words of four bytes; two tiles of both operands are in local memory.
        case warpsOfBytes(rows: Int, columns: Int)
    }

    /// The rows and columns that a work-group computes, and the depth that it holds in local memory.
    package var rows: Int
    package var columns: Int
    package var depth: Int
    package var part: Part
    /// The part of the device's full float32 speed that a long product reaches.
    package var efficiency: Double
    /// The groups that a compute unit runs at the same time.
    package var groupsPerUnit = 1
    /// The clock cycles that a group takes at least for one tile of the depth.
    package var cyclesPerStep = 0
    /// The tiles of the depth in whose time a group starts and ends.
    package var extraSteps = 1

    /// The extents of a tile, then those that a work-item or a warp computes of it: `64x64x16/4x4`.
    package var name: String {
        let tile = "\(rows)x\(columns)x\(depth)/"
        return switch part {
        case .items(let itemRows, let itemColumns, _, _): tile + "\(itemRows)x\(itemColumns)"
        case .warps(let warpRows, let warpColumns, _, _), .warpsOfBytes(let warpRows, let warpColumns):
            tile + "\(warpRows)x\(warpColumns)"
        }
    }

    /// The work-items per group.
    var group: [Int] {
        switch part {
        case .items(let itemRows, let itemColumns, _, _): [columns / itemColumns, rows / itemRows, 1]
        case .warps(let warpRows, let warpColumns, _, _), .warpsOfBytes(let warpRows, let warpColumns):
            [rows / warpRows * (columns / warpColumns) * 32, 1, 1]
        }
    }

    package var threadCount: Int { group[0] * group[1] }

    /// The work-items of a whole stack of products.
    func global(rows: Int, columns: Int, stack: Int) -> [Int] {
        [
            columns.roundedUp(to: self.columns) / self.columns * group[0],
            rows.roundedUp(to: self.rows) / self.rows * group[1], stack,
        ]
    }

    /// The bytes of local memory for the tiles of both operands, and for the places of a convolution's rows.
    var localByteCount: Int {
        let tiles =
            switch part {
            case .items: 2 * depth * (rows + 4 + columns) * 4
            case .warps(_, _, let stages, let isHalf): stages * depth * (rows * 4 + columns * (isHalf ? 2 : 4))
            case .warpsOfBytes: 2 * depth * (rows + columns + 8) * 4
            }
        return tiles + 16 * rows
    }

    var macros: [String: String] {
        var macros = ["TILE_M": "\(rows)", "TILE_N": "\(columns)", "TILE_K": "\(depth)"]
        switch part {
        case .items(let itemRows, let itemColumns, let lanes, let prefetches):
            macros["ITEM_M"] = "\(itemRows)"
            macros["ITEM_N"] = "\(itemColumns)"
            macros["LANES"] = "\(lanes)"
            macros["PREFETCH"] = prefetches ? "1" : "0"
        case .warps(let warpRows, let warpColumns, let stages, let isHalf):
            macros["WARP_M"] = "\(warpRows)"
            macros["WARP_N"] = "\(warpColumns)"
            macros["STAGES"] = "\(stages)"
            if isHalf { macros["HALF"] = "1" }
        case .warpsOfBytes(let warpRows, let warpColumns):
            macros["WARP_M"] = "\(warpRows)"
            macros["WARP_N"] = "\(warpColumns)"
            macros["PREFETCH"] = "1"
        }
        return macros
    }

    /// The words in which tensor cores read a constant right operand; nil for tiles of other cores.
    var words: TensorCoreWords? {
        if case .warps(_, _, _, let isHalf) = part { TensorCoreWords(isHalf: isHalf) } else { nil }
    }

    /// Whether the tiles are those of products of bytes on tensor cores.
    var isOfBytesOnTensorCores: Bool {
        if case .warpsOfBytes = part { true } else { false }
    }

    private var isOnTensorCores: Bool { words != nil }
    var gemmSource: KernelSource { isOnTensorCores ? .tensorGEMM : .gemm }
    var convolutionSource: KernelSource { isOnTensorCores ? .tensorConvolution : .convolution }
    var integerGEMMSource: KernelSource { isOfBytesOnTensorCores ? .tensorIntegerGEMM : .integerGEMM }

    /// - Parameter hasStages: Whether results go through functions before they are stored.
    func integerConvolutionSource(hasStages: Bool) -> KernelSource {
        if hasStages { return isOfBytesOnTensorCores ? .stagedTensorIntegerConvolution : .stagedIntegerConvolution }
        return isOfBytesOnTensorCores ? .tensorIntegerConvolution : .integerConvolution
    }
}
