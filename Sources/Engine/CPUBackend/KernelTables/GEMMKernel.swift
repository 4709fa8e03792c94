import CPUKernels
import Planning
import Tensors

/// Rounds rows of floats to dense rows of words of two numbers of 16 bits: the first row, the number of rows, the
/// elements from one to the next and in each, and the words.
typealias RowRounding = @convention(c) (UnsafePointer<Float>, Int, Int, Int, UnsafeMutablePointer<Float>) -> Void

/// The matrix product of one instruction set, with weights packed in panels.
///
/// Its rows and weights are words of 32 bits: a float32, or two numbers of 16 bits that are adjacent in the depth.
struct GEMMKernel: BitwiseCopyable, Sendable {
    let instructionSet: InstructionSet
    /// What rows and weights are.
    let precision: ProductPrecision
    let tileRows: Int
    let panelColumns: Int
    let multiply: @convention(c) (UnsafePointer<apus_gemm_block>) -> Void
    /// The words of a column that are adjacent in panels.
    private let adjacentWords: Int
    /// How many times as fast as in float32 it multiplies.
    private let gain: Double
    /// Nil where words are floats.
    let roundRows: RowRounding?

    /// The kernel of an instruction set; the baseline kernel where the set has none.
    init(_ instructionSet: InstructionSet) {
        let wanted = apus_gemm_kernel_for(instructionSet.cValue)
        self.instructionSet = wanted == nil ? .baseline : instructionSet
        let kernel = wanted?.pointee ?? apus_gemm_baseline
        precision = .float32
        gain = 1
        adjacentWords = 1
        roundRows = nil
        tileRows = kernel.tile_rows
        panelColumns = kernel.panel_columns
        multiply = kernel.multiply
    }

    /// The kernel of bfloat16 for an instruction set; nil where the processor or this build has none.
    ///
    /// - Parameter gain: As in ``RoundingGain``; nil for that which the kernels are written for.
    init?(bfloat16 instructionSet: InstructionSet, gain: Double? = nil) {
        guard let kernel = apus_bfloat16_kernel_for(instructionSet.cValue)?.pointee else { return nil }
        self.instructionSet = instructionSet
        precision = .bfloat16
        self.gain = gain ?? RoundingGain.expected.factor(of: .bfloat16, instructionSet)
        adjacentWords = kernel.adjacent_words
        roundRows = kernel.round_rows
        tileRows = kernel.product.pointee.tile_rows
        panelColumns = kernel.product.pointee.panel_columns
        multiply = kernel.product.pointee.multiply
    }

    /// The kernel of float16 for an instruction set, or its emulation; nil where the processor or this build has none,
    /// or for other precisions.
    ///
    /// - Parameter gain: As in ``RoundingGain``; nil for that which the kernels are written for.
    init?(float16 precision: ProductPrecision, _ instructionSet: InstructionSet, gain: Double? = nil) {
        let found: UnsafePointer<apus_float16_kernel>? =
            switch precision {
            case .float16 where instructionSet.computesInFloat16: apus_float16_kernel_for(instructionSet.cValue)
            case .emulatedFloat16: apus_float16_emulation()
            default: nil
            }
        guard let kernel = found?.pointee else { return nil }
        self.instructionSet = instructionSet
        self.precision = precision
        self.gain = gain ?? RoundingGain.expected.factor(of: precision, instructionSet)
        adjacentWords = 1
        roundRows = kernel.round_rows
        tileRows = kernel.product.pointee.tile_rows
        panelColumns = kernel.product.pointee.panel_columns
        multiply = kernel.product.pointee.multiply
    }

    /// The kernel of float32 whose weights have 16 bits; nil where this build has none, or for other precisions.
    init?(weightsIn precision: ProductPrecision, _ instructionSet: InstructionSet) {
        let found =
            switch precision {
            case .bfloat16Weights: apus_gemm_of_pairs_for(instructionSet.cValue)
            case .float16Weights: apus_gemm_of_halves_for(instructionSet.cValue)
            case .float32, .bfloat16, .float16, .emulatedFloat16: nil as UnsafePointer<apus_gemm_kernel>?
            }
        guard let kernel = found?.pointee else { return nil }
        self.instructionSet = instructionSet
        self.precision = precision
        gain = 1
        adjacentWords = 1
        roundRows = nil
        tileRows = kernel.tile_rows
        panelColumns = kernel.panel_columns
        multiply = kernel.multiply
    }

    /// The kernel of bfloat16 in the form that C functions take; nil for other precisions.
    var rounding: UnsafePointer<apus_bfloat16_kernel>? {
        precision == .bfloat16 ? apus_bfloat16_kernel_for(instructionSet.cValue) : nil
    }

    /// The suffix of names of lowerings.
    var suffix: String { precision == .float32 ? "" : "-\(precision.rawValue)" }

    /// Why the kernel must not compute a layer; nil when it may. The last product stays in float32, since nothing after
    /// it evens out its errors.
    func refusal(_ request: LoweringRequest) -> String? {
        roundRows != nil && request.isLastProduct ? "the last layer is computed in float32" : nil
    }

    /// The operands of a product that may be stored in bfloat16: its results, its addend, and its rows where these are
    /// whole words.
    func bfloat16Operands(wholeWords: Bool, addend: Int) -> Candidate.BFloat16Operands? {
        guard precision == .bfloat16 else { return nil }
        return .init(rounded: wholeWords ? [0] : [], read: [addend], isWritten: true)
    }

    /// Whether sums of `depth` words need memory before they are rounded: those of more than one chain.
    func needsSums(depth: Int) -> Bool { precision == .bfloat16 && depth > Int(APUS_GEMM_CHAIN) }

    /// The words that a number of adjacent elements of a row takes.
    func words(_ elements: Int) -> Int { roundRows == nil ? elements : (elements + 1) / 2 }

    /// The columns that a tile multiplies at once: it computes as many where fewer are left.
    var tileColumns: Int { isFloat16 ? panelColumns : panelColumns / 2 }

    private var isFloat16: Bool { precision == .float16 || precision == .emulatedFloat16 }

    /// The words that the weights of a number of adjacent elements take.
    func weightWords(_ elements: Int) -> Int { precision == .float32 ? elements : (elements + 1) / 2 }

    /// The bytes of weights that are packed.
    func byteCount(ofWeights weights: Tensor) -> Int { weightWords(weights.byteCount) }

    /// A weight as the kernel reads it.
    func rounded(_ element: Float) -> Float {
        switch precision {
        case .float32: element
        case .bfloat16, .bfloat16Weights: Float(bitPattern: UInt32(apus_bfloat16_rounded(element)) << 16)
        case .float16, .emulatedFloat16, .float16Weights: apus_float16_widened(apus_float16_rounded(element))
        }
    }

    /// The approximate multiply-adds per microsecond of a product of large matrices on one core.
    var multiplyAddsPerMicrosecond: Double {
        switch precision {
        case .float32: instructionSet.multiplyAddsPerMicrosecond
        case .bfloat16: gain * instructionSet.multiplyAddsPerMicrosecond
        // Adding sums of float16 to those of float32 takes time of its own.
        case .float16, .emulatedFloat16: 0.85 * gain * instructionSet.multiplyAddsPerMicrosecond
        case .bfloat16Weights, .float16Weights: 0.93 * instructionSet.multiplyAddsPerMicrosecond
        }
    }

    /// The kernel in the form that C functions take.
    var cKernel: apus_gemm_kernel {
        apus_gemm_kernel(tile_rows: tileRows, panel_columns: panelColumns, multiply: multiply)
    }

    /// The bytes of a row of `words` words that are read while all panels pass over it: those of one chain.
    func chainByteCount(_ words: Int) -> Int { min(words, Int(APUS_GEMM_CHAIN)) * MemoryLayout<Float>.stride }

    /// The number of columns, rounded up to whole panels.
    func paddedColumns(_ columns: Int) -> Int { (columns + panelColumns - 1) / panelColumns * panelColumns }

    /// Packs a `[groups, taps, channels, columns]` array as `[groups][panel][taps][words of channels][panelColumns]`,
    /// once per session.
    ///
    /// - Parameters:
    ///   - packing: Names the arrangement that `arrange` makes.
    ///   - arrange: Returns a view of the original weights.
    func pack(
        _ original: Tensor, _ packing: String, in packedWeights: PackedWeights,
        arrange: (Tensor) throws -> Tensor
    ) throws -> Tensor {
        try packedWeights.tensor(original, packing: "\(packing)\(suffix)/panels of \(panelColumns)") { original in
            let view = try arrange(original)
            let groups = view.shape[0]
            var factor = apus_gemm_factor(
                elements: view.floats, tap_count: view.shape[1], channel_count: view.shape[2],
                column_count: view.shape[3], tap_stride: view.strides[1], channel_stride: view.strides[2],
                column_stride: view.strides[3])
            let packedCount = factor.tap_count * weightWords(factor.channel_count) * paddedColumns(factor.column_count)
            return try packedWeights.memory.tensor(.float32, shape: [groups, packedCount]) { bytes in
                guard let start = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
                for group in 0..<groups {
                    factor.elements = view.floats + group * view.strides[0]
                    let panels = start + group * packedCount
                    switch precision {
                    case .float32: apus_gemm_pack(&factor, panelColumns, panels)
                    case .bfloat16, .bfloat16Weights:
                        apus_bfloat16_pack(&factor, panelColumns, adjacentWords, panels)
                    case .float16, .emulatedFloat16, .float16Weights:
                        guard apus_float16_pack(&factor, panelColumns, panels) != 0 else { throw RangeError() }
                    }
                }
            }
        }
    }

    /// A weight that float16 cannot hold.
    private struct RangeError: Error, CustomStringConvertible {
        let description =
            "a weight is beyond the range of float16, ±\(Int(APUS_FLOAT16_MAXIMUM)); bfloat16 has that of float32"
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
