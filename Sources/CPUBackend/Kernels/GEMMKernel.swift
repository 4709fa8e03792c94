import CPUKernels
import Planning
import Tensors

/// The matrix product of one instruction set, with weights packed in panels.
struct GEMMKernel: BitwiseCopyable, Sendable {
    let instructionSet: InstructionSet
    let tileRows: Int
    let panelColumns: Int
    let multiply: @convention(c) (UnsafePointer<apus_gemm_block>) -> Void

    /// The kernel of an instruction set; the baseline kernel where the set has none.
    init(_ instructionSet: InstructionSet) {
        let wanted = apus_gemm_kernel_for(instructionSet.cValue)
        self.instructionSet = wanted == nil ? .baseline : instructionSet
        let kernel = wanted?.pointee ?? apus_gemm_baseline
        tileRows = kernel.tile_rows
        panelColumns = kernel.panel_columns
        multiply = kernel.multiply
    }

    /// The kernel in the form that C functions take.
    var cKernel: apus_gemm_kernel {
        apus_gemm_kernel(tile_rows: tileRows, panel_columns: panelColumns, multiply: multiply)
    }

    /// The number of columns, rounded up to whole panels.
    func paddedColumns(_ columns: Int) -> Int { (columns + panelColumns - 1) / panelColumns * panelColumns }

    /// Packs a `[groups, taps, channels, columns]` array as `[groups][panel][taps][channels][panelColumns]`, once per
    /// session.
    ///
    /// - Parameters:
    ///   - packing: Names the arrangement that `arrange` makes.
    ///   - arrange: Returns a view of the original weights.
    func pack(
        _ original: Tensor, _ packing: String, in packedWeights: PackedWeights,
        arrange: (Tensor) throws -> Tensor
    ) throws -> Tensor {
        try packedWeights.tensor(original, packing: "\(packing)/panels of \(panelColumns)") { original in
            let view = try arrange(original)
            let groups = view.shape[0]
            var factor = apus_gemm_factor(
                elements: view.floats, tap_count: view.shape[1], channel_count: view.shape[2],
                column_count: view.shape[3], tap_stride: view.strides[1], channel_stride: view.strides[2],
                column_stride: view.strides[3])
            let packedCount = factor.tap_count * factor.channel_count * paddedColumns(factor.column_count)
            return try packedWeights.memory.tensor(.float32, shape: [groups, packedCount]) { bytes in
                guard let start = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
                for group in 0..<groups {
                    factor.elements = view.floats + group * view.strides[0]
                    apus_gemm_pack(&factor, panelColumns, start + group * packedCount)
                }
            }
        }
    }

    /// The bias of every group's columns, zeros where there is none and beyond the last column.
    func pack(bias: Tensor?, groups: Int, columns: Int) throws -> Tensor {
        let padded = paddedColumns(columns)
        var values = [Float](repeating: 0, count: groups * padded)
        if let bias = bias?.elements(as: Float.self) {
            for group in 0..<groups {
                for column in 0..<columns { values[group * padded + column] = bias[group * columns + column] }
            }
        }
        return try Tensor(values, shape: [values.count])
    }
}
