import CPUKernels
import Graphs
import Planning
import Tensors

/// The product with weights of 4 bits of one instruction set.
struct NibbleKernel: BitwiseCopyable, Sendable {
    let instructionSet: InstructionSet
    let tileRows: Int
    let panelColumns: Int
    let multiply: @convention(c) (UnsafePointer<apus_nibble_product>) -> Void

    /// The kernel of an instruction set; the baseline kernel where the set has none.
    init(_ instructionSet: InstructionSet) {
        let wanted = apus_nibble_kernel_for(instructionSet.cValue)
        self.instructionSet = wanted == nil ? .baseline : instructionSet
        let kernel = wanted?.pointee ?? apus_nibble_baseline
        tileRows = kernel.tile_rows
        panelColumns = kernel.panel_columns
        multiply = kernel.multiply
    }

    func paddedColumns(_ columns: Int) -> Int { (columns + panelColumns - 1) / panelColumns * panelColumns }

    /// Packs the weights in panels of words, once per session.
    func pack(_ weights: Tensor, _ operation: MatMulNBits, in packedWeights: PackedWeights) throws -> Tensor {
        let (depth, columns) = (operation.depth, operation.columns)
        return try packedWeights.tensor(weights, packing: "nibbles/panels of \(panelColumns), \(depth) deep") {
            original in
            let dense = try original.contiguous()
            let count = paddedColumns(columns) * apus_nibble_words(depth)
            return try packedWeights.memory.tensor(.uint32, shape: [count]) { bytes in
                guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
                apus_pack_nibbles(
                    dense.firstElement.assumingMemoryBound(to: UInt8.self),
                    operation.blockCount * (operation.blockSize / 2), columns, depth, panelColumns, start)
                withExtendedLifetime(dense) {}
            }
        }
    }

    /// Packs a number for every group, `[columns][groups]`, as `[panel][groups][panelColumns]`.
    func pack(groups numbers: [Float], _ operation: MatMulNBits) throws -> Tensor {
        let (groups, columns) = (operation.blockCount, operation.columns)
        var packed = [Float](repeating: 0, count: paddedColumns(columns) * groups)
        for column in 0..<columns {
            let (panel, place) = column.quotientAndRemainder(dividingBy: panelColumns)
            for group in 0..<groups {
                packed[(panel * groups + group) * panelColumns + place] = numbers[column * groups + group]
            }
        }
        return try Tensor(packed, shape: [packed.count])
    }
}
