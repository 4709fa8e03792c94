import CPUKernels
import Planning
import Tensors

/// Winograd's convolution of one kind, for one instruction set.
struct WinogradKernel: BitwiseCopyable, Sendable {
    /// F(m, r): m outputs of r taps along each axis.
    enum Kind: String, CaseIterable, Sendable, BitwiseCopyable {
        case of3x3By4x4 = "winograd-4x4"
        case of3x3By2x2 = "winograd-2x2"
        case of5x5By2x2 = "winograd-2x2-of-5x5"
        case of4x4By3x3 = "winograd-3x3-of-4x4"
        /// 5×5 taps with stride 2.
        case of3x3By5x5WithStride2 = "winograd-5x5-stride-2"
        /// 1×3 taps, or 3×1 with the axes exchanged.
        case of3By4 = "winograd-4-of-3"
        /// 1×7 taps, or 7×1 with the axes exchanged.
        case of7By2 = "winograd-2-of-7"

        var cValue: apus_winograd_kind {
            switch self {
            case .of3x3By4x4: APUS_WINOGRAD_4X4_3X3
            case .of3x3By2x2: APUS_WINOGRAD_2X2_3X3
            case .of5x5By2x2: APUS_WINOGRAD_2X2_5X5
            case .of4x4By3x3: APUS_WINOGRAD_3X3_4X4
            case .of3x3By5x5WithStride2: APUS_WINOGRAD_5X5_3X3_STRIDE_2
            case .of3By4: APUS_WINOGRAD_1X4_1X3
            case .of7By2: APUS_WINOGRAD_1X2_1X7
            }
        }

        var shape: apus_winograd_shape { apus_winograd_shape_of(cValue) }
    }

    let kind: Kind
    let instructionSet: InstructionSet
    let shape: apus_winograd_shape
    let panelColumns: Int
    /// The tiles of the image in a register tile.
    let tileRows: Int
    let functions: apus_winograd_kernel
    /// The functions for values in bfloat16; nil where there are none.
    let functionsOfBFloat16: apus_winograd_kernel?

    /// The kernel of an instruction set; nil where the set has none.
    init?(_ kind: Kind, _ instructionSet: InstructionSet) {
        guard let functions = apus_winograd_kernel_for(instructionSet.cValue, kind.cValue) else { return nil }
        self.kind = kind
        self.instructionSet = instructionSet
        self.functions = functions.pointee
        functionsOfBFloat16 = apus_winograd_of_bfloat16_for(instructionSet.cValue, kind.cValue)?.pointee
        shape = kind.shape
        panelColumns = functions.pointee.panel_columns
        tileRows = functions.pointee.tile_rows
    }

    /// The functions that transform inputs of one type, and read addends and write outputs of another.
    func functions(reading input: ElementType, writing output: ElementType) -> apus_winograd_kernel {
        var functions = functions
        guard let ofBFloat16 = functionsOfBFloat16 else { return functions }
        if input == .bfloat16 { functions.transform = ofBFloat16.transform }
        if output == .bfloat16 { functions.multiply = ofBFloat16.multiply }
        return functions
    }

    func panelCount(_ outputChannels: Int) -> Int { (outputChannels + panelColumns - 1) / panelColumns }

    /// The elements of the transformed inputs of `tiles` tiles.
    func transformedCount(tiles: Int, inputChannels: Int) -> Int {
        apus_winograd_transformed_count(kind.cValue, inputChannels, tiles)
    }

    /// The elements of scratch memory for multiplying `tiles` tiles.
    func scratchCount(tiles: Int, transformsWeights: Bool) -> Int {
        var functions = functions
        return apus_winograd_scratch_count(kind.cValue, &functions, tiles, transformsWeights ? 1 : 0)
    }

    /// The elements of packed weights.
    func packedCount(inputChannels: Int, outputChannels: Int, transformsWeights: Bool) -> Int {
        var functions = functions
        return apus_winograd_packed_count(
            kind.cValue, &functions, inputChannels, outputChannels, transformsWeights ? 1 : 0)
    }

    /// The multiply-adds that take as long as moving one element of an input or output tile.
    private static let transformCost = 11.0

    /// The multiply-adds that take as long as `tiles` tiles, including the transforms of their inputs and outputs.
    func multiplyAdds(tiles: Int, inputChannels: Int, outputChannels: Int) -> Double {
        let products = Double(shape.product_count * tiles)
        let inputs = Double((inputChannels + 3) / 4 * 4)
        let outputs = Double(panelCount(outputChannels) * panelColumns)
        return products * (inputs * outputs + Self.transformCost * Double(inputChannels + outputChannels))
    }

    /// Packs weights `[M, C, kh, kw]` in panels, once per session.
    ///
    /// - Parameters:
    ///   - arrangement: Names the arrangement that `arrange` makes.
    ///   - arrange: Returns weights of that shape, made of the original ones.
    func pack(
        _ original: Tensor, transformsWeights: Bool, _ arrangement: String = "", in packedWeights: PackedWeights,
        arrange: (Tensor) throws -> Tensor = { $0 }
    ) throws -> Tensor {
        let content = arrangement + (transformsWeights ? "filters" : kind.rawValue)
        return try packedWeights.tensor(original, packing: "\(content)/panels of \(panelColumns)") { original in
            let filters = try arrange(original).contiguous()
            let (outputs, inputs) = (filters.shape[0], filters.shape[1])
            let count = packedCount(
                inputChannels: inputs, outputChannels: outputs, transformsWeights: transformsWeights)
            return try packedWeights.memory.tensor(.float32, shape: [count]) { bytes in
                guard let packed = bytes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
                var functions = functions
                apus_winograd_pack(
                    kind.cValue, &functions, filters.floats, inputs, outputs, transformsWeights ? 1 : 0, packed)
            }
        }
    }

    /// The bias of the panels' columns, with zeros where there is none and beyond the last channel.
    func pack(bias: Tensor?, outputChannels: Int) throws -> Tensor {
        var values = bias?.elements(as: Float.self) ?? []
        values += [Float](repeating: 0, count: panelCount(outputChannels) * panelColumns - values.count)
        return try Tensor(values, shape: [values.count])
    }
}
