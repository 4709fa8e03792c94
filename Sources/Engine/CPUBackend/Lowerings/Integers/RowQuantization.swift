import CPUKernels
import Graphs
import Planning
import Tensors

/// The pass that turns rows of numbers into unsigned bytes, before a product of integers.
struct RowQuantization: Sendable {
    /// The minimum and maximum of a piece.
    struct Range: BitwiseCopyable {
        var low: Float = 0
        var high: Float = 0
    }

    let quantization: InputQuantization
    let rows: Int
    let depth: Int
    let pieceCount: Int
    /// Whether the integers are signed, which only given ones are.
    let isSigned: Bool

    /// Elements per piece: enough to outweigh the cost of handing the piece to a thread.
    private static let pieceLength = 8_192

    init(_ quantization: InputQuantization, _ input: TensorType, rows: Int, depth: Int) {
        self.quantization = quantization
        self.rows = rows
        self.depth = depth
        isSigned = input.elementType == .int8
        pieceCount = max(1, min(rows, rows * depth / Self.pieceLength))
    }

    /// The bytes that the pass writes; 0 where the integers are given.
    var integerCount: Int { if case .integers = quantization { 0 } else { rows * depth } }

    var scaleCount: Int { quantization == .byRow ? rows : 1 }

    /// The zero point of the bytes; nil where it is found at run time.
    var zeroPoint: Int32? {
        switch quantization {
        case .byRow: 128
        case .whole: nil
        case .fixed(_, let zeroPoint, let elementType): zeroPoint + (elementType == .int8 ? 128 : 0)
        case .integers(_, let zeroPoint): zeroPoint
        }
    }

    func microseconds(threads: Int) -> Double { Double(integerCount) / 4_000 / Double(max(threads, 1)) }

    private struct Arguments: BitwiseCopyable {
        let x: UnsafePointer<Float>
        let y: UnsafeMutablePointer<UInt8>
        let scales: UnsafeMutablePointer<Float>
        let ranges: UnsafeMutablePointer<Range>
        let rows: Int
        let depth: Int
        let pieceCount: Int
        var scale: Float = 1
        var zeroPoint: Int32 = 0

        func piece(_ index: Int) -> (first: Int, count: Int) {
            let first = rows * index / pieceCount
            return (first, rows * (index + 1) / pieceCount - first)
        }
    }

    /// Quantizes all rows.
    ///
    /// - Parameters:
    ///   - bytes: ``integerCount`` bytes.
    ///   - scales: Receives ``scaleCount`` scales.
    ///   - ranges: Memory for ``pieceCount`` ranges.
    /// - Returns: The zero point.
    func run(
        _ input: Operand, _ bytes: UnsafeMutablePointer<UInt8>, _ scales: UnsafeMutablePointer<Float>,
        _ ranges: UnsafeMutablePointer<Range>, _ context: StepContext
    ) -> Int32 {
        if case .integers(let scale, let zeroPoint) = quantization {
            scales.pointee = scale
            return zeroPoint
        }
        var arguments = Arguments(
            x: context.floats(input), y: bytes, scales: scales, ranges: ranges, rows: rows, depth: depth,
            pieceCount: pieceCount)
        switch quantization {
        case .byRow:
            context.workers.run(pieceCount, arguments) { context, index, _ in
                let it = context.load(as: Arguments.self)
                let (first, count) = it.piece(index)
                apus_quantize_rows(
                    it.x + first * it.depth, it.depth, it.depth, count, it.y + first * it.depth, it.scales + first)
            }
            return 128
        case .whole:
            context.workers.run(pieceCount, arguments) { context, index, _ in
                let it = context.load(as: Arguments.self)
                let (first, count) = it.piece(index)
                var range = Range()
                apus_find_range(it.x + first * it.depth, count * it.depth, &range.low, &range.high)
                it.ranges[index] = range
            }
            let low = (0..<pieceCount).reduce(0) { min($0, ranges[$1].low) }
            let high = (0..<pieceCount).reduce(0) { max($0, ranges[$1].high) }
            let (scale, zeroPoint) = DynamicQuantizeLinear.parameters(low: low, high: high)
            scales.pointee = scale
            // Where every number is 0, division by 1 keeps it 0.
            (arguments.scale, arguments.zeroPoint) = (scale == 0 ? 1 : scale, Int32(zeroPoint))
        case .fixed(let scale, let zeroPoint, let elementType):
            scales.pointee = scale
            (arguments.scale, arguments.zeroPoint) = (scale, zeroPoint + (elementType == .int8 ? 128 : 0))
        case .integers: break
        }
        context.workers.run(pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (first, count) = it.piece(index)
            apus_quantize(
                it.x + first * it.depth, it.scale, it.zeroPoint, 0, 255, 1, count * it.depth, it.y + first * it.depth)
        }
        return arguments.zeroPoint
    }
}
