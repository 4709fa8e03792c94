/// A multiprocessor of a GPU: what the groups that it runs at the same time share.
package struct Multiprocessor: Sendable {
    let registers: Int
    let localByteCount: Int
    let workItems: Int
    let groups: Int

    /// NVIDIA's compute capability 9.0. Source: "Compute Capabilities" in the CUDA C++ programming guide.
    package static let ofH100 = Multiprocessor(
        registers: 65_536, localByteCount: 227 << 10, workItems: 2048, groups: 32)

    /// The groups that it holds at the same time. Registers are given to warps of 32 work-items in units of 256.
    ///
    /// - Parameters:
    ///   - registers: The registers of a work-item.
    ///   - workItemCount: The work-items of a group.
    ///   - localByteCount: The local memory of a group.
    package func groupCount(registers: Int, workItemCount: Int, localByteCount: Int) -> Int {
        let registersOfGroup = (registers * 32).roundedUp(to: 256) * (workItemCount.roundedUp(to: 32) / 32)
        let limits = [
            self.registers / max(registersOfGroup, 1), self.localByteCount / max(localByteCount, 1),
            workItems / max(workItemCount, 1), groups,
        ]
        return limits.min() ?? 0
    }
}

extension TileShape {
    /// What a group needs of a multiprocessor, by arithmetic: an estimate of what the compiler makes of the kernels.
    package struct Occupancy: Sendable {
        /// The 32-bit registers of a work-item: its sums, the operands that it multiplies, what it reads ahead, the
        /// places from which it reads, and 16 others; rounded up to a multiple of 8.
        package let registers: Int
        package let localByteCount: Int
        /// The groups that a multiprocessor holds at the same time.
        package let groups: Int
        /// The multiply-adds of a work-item or warp for each element that it reads from local memory.
        package let multiplyAddsPerElement: Double
    }

    /// The group's needs, with operands that are read in vectors of four elements.
    package func occupancy(of multiprocessor: Multiprocessor) -> Occupancy {
        let leftLoads = (rows * depth / 4 + threadCount - 1) / threadCount
        let rightLoads = (columns * depth / 4 + threadCount - 1) / threadCount
        let registers: Int
        let extents: (rows: Int, columns: Int)
        switch part {
        case .items(let itemRows, let itemColumns, _, let prefetches):
            extents = (itemRows, itemColumns)
            let ahead = prefetches ? 4 * (leftLoads + rightLoads) : 0
            registers = itemRows * itemColumns + itemRows + itemColumns + ahead + 2 * leftLoads
        case .warps(let warpRows, let warpColumns, _, let isHalf):
            extents = (warpRows, warpColumns)
            // The words of the right fragments, of a left fragment, and of one before it is rounded.
            registers = warpRows * warpColumns / 32 + warpColumns / 4 + 4 + (isHalf ? 8 : 4) + leftLoads
        case .warpsOfBytes(let warpRows, let warpColumns):
            extents = (warpRows, warpColumns)
            registers = warpRows * warpColumns / 32 + warpColumns / 4 + 4 + 4 * (leftLoads + rightLoads)
        }
        let allocated = (registers + 16).roundedUp(to: 8)
        return Occupancy(
            registers: allocated, localByteCount: localByteCount,
            groups: multiprocessor.groupCount(
                registers: allocated, workItemCount: threadCount, localByteCount: localByteCount),
            multiplyAddsPerElement: Double(extents.rows * extents.columns) / Double(extents.rows + extents.columns))
    }
}
