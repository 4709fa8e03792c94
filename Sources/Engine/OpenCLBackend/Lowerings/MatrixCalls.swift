import Graphs
import Planning

/// A stack of matrix products, in the form that `gemm.cl` takes. Strides are in elements.
struct MatrixCalls {
    var stack = 1
    /// The matrices of one outer stack; nil where all of them are. The outer strides are those from one to the next.
    var innerCount: Int?
    var rows: Int
    var columns: Int
    var depth: Int
    var left: Operand
    var leftStackStride = 0
    var leftOuterStride = 0
    var leftRowStride: Int
    var leftDepthStride = 1
    var right: KernelCall.Argument
    var rightStackStride = 0
    var rightOuterStride = 0
    var rightRowStride: Int
    var rightColumnStride = 1
    /// The number of the right operand's columns, padding included.
    var rightColumns: Int
    /// Whether the right operand's rows are padded to a multiple of four elements and begin at one. Tiles on tensor
    /// cores do not ask: their right operand is columns of words, `rightRowStride` apart.
    var isRightPadded: Bool
    var bias: KernelCall.Argument
    var biasStackStride = 0
    var addend: Operand?
    var addendStackStride = 0
    var addendRowStride = 0
    var output: Operand
    var outputStackStride = 0
    var outputOuterStride = 0
    var outputRowStride: Int
    /// What the sums are multiplied by.
    var factor: Float = 1
    var activation: Activation?

    /// The elements of scratch memory that a division needs.
    static func scratchCount(_ division: SplitK, rows: Int, columns: Int) -> Int {
        division.parts > 1 ? division.parts * rows * columns.roundedUp(to: 4) : 0
    }

    func calls(_ division: SplitK, scratch: Operand) -> [KernelCall] {
        let tiles = division.tiles
        let isDivided = division.parts > 1
        let partColumns = columns.roundedUp(to: 4)
        let partStride = rows * partColumns
        let partial = scratch.floats(from: 0, count: division.parts * partStride)
        let leftUnits = [
            left.position, leftStackStride, leftOuterStride, leftRowStride, depth, leftDepthStride == 1 ? 4 : 1,
        ]
        let addendUnits = addend.map { [$0.position, addendStackStride, addendRowStride] } ?? []
        let outputStrides = [outputStackStride, outputOuterStride, outputRowStride]
        let outputUnits = [columns, output.position] + outputStrides + addendUnits
        let outputWidth = outputUnits.vectorWidth
        var macros = tiles.macros
        macros["LEFT_VECTOR"] = leftUnits.vectorWidth == 4 ? "4" : "1"
        macros["RIGHT_VECTOR"] = isRightPadded ? "4" : "1"
        macros["OUTPUT_VECTOR"] = (isDivided ? columns % 4 == 0 : outputWidth == 4) ? "4" : "1"
        macros["ACTIVATION"] = "\(Epilogue.number(activation))"
        if isDivided { macros["PARTIAL"] = "1" }
        let shape: [KernelCall.Argument] = [
            .int(Int32(rows)), .int(Int32(columns)), .int(Int32(depth)), .long(leftStackStride),
            .int(Int32(leftRowStride)), .int(Int32(leftDepthStride)), .int(Int32(rightColumns)),
            .long(rightStackStride), .int(Int32(rightRowStride)), .int(Int32(rightColumnStride)),
            .int(Int32(biasStackStride)), .int(addend == nil ? 0 : 1), .long(addendStackStride),
            .int(Int32(addendRowStride)), .long(isDivided ? 0 : outputStackStride),
            .int(Int32(isDivided ? partColumns : outputRowStride)),
        ]
        let cut: [KernelCall.Argument] = [
            .int(Int32(division.parts)), .int(Int32(division.partDepth)), .long(partStride), .float(factor),
            .int(Int32(innerCount ?? max(stack, 1))), .long(leftOuterStride), .long(rightOuterStride),
            .long(isDivided ? 0 : outputOuterStride),
        ]
        let other = KernelCall.Argument.operand(addend ?? output)
        let product = KernelCall(
            tiles.gemmSource, kernel: "gemm", macros: macros,
            arguments: [.operand(left), right, bias, other, .operand(isDivided ? partial : output)] + shape
                + Epilogue.arguments(activation).dropFirst() + cut,
            global: tiles.global(rows: rows, columns: columns, stack: stack * division.parts), local: tiles.group)
        guard isDivided else { return [product] }
        let sums = SplitKReduction(
            rows: rows, columns: columns, height: 1, width: 1, partColumns: partColumns, division: division,
            parts: partial, bias: bias, addend: addend, output: output, vectorWidth: outputWidth,
            activation: activation,
            addendStrides: [.long(addendRowStride), .int(0), .int(0)],
            outputStrides: [.long(outputRowStride), .int(0), .int(0)])
        return [product, sums.call]
    }
}

/// The kernel that adds the parts of a product.
struct SplitKReduction {
    /// The number of the product's rows, which are the pixels of images of `height` by `width`.
    let rows: Int
    let columns: Int
    let height: Int
    let width: Int
    let partColumns: Int
    let division: SplitK
    let parts: Operand
    let bias: KernelCall.Argument
    let addend: Operand?
    let output: Operand
    /// The width of the vectors that the output and addend allow.
    let vectorWidth: Int
    let activation: Activation?
    /// The strides of images, rows and pixels.
    let addendStrides: [KernelCall.Argument]
    let outputStrides: [KernelCall.Argument]

    var call: KernelCall {
        let arguments: [KernelCall.Argument] =
            [
                .operand(parts), bias, .operand(addend ?? output), .operand(output), .int(Int32(rows)),
                .int(Int32(columns)), .int(Int32(division.parts)), .long(rows * partColumns),
                .int(Int32(partColumns)), .int(Int32(height)), .int(Int32(width)), .int(addend == nil ? 0 : 1),
            ] + addendStrides + outputStrides + Epilogue.arguments(activation)
        return KernelCall(
            .parts, kernel: "sum_parts", macros: ["VECTOR": "\(vectorWidth)"], arguments: arguments,
            global: [columns / vectorWidth, rows])
    }
}
