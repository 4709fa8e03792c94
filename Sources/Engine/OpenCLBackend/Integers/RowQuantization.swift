import Graphs
import Planning
import Tensors

/// The kernels that turn numbers into rows of bytes, followed by zeros up to vectors of four words.
struct RowQuantization: Sendable {
    let quantization: InputQuantization
    let rows: Int
    let depth: Int
    let group: ReductionGroup
    let whole: RangeGroups

    init(_ quantization: InputQuantization, rows: Int, depth: Int, _ device: DeviceInformation) {
        self.quantization = quantization
        self.rows = rows
        self.depth = depth
        group = ReductionGroup(device, length: depth)
        whole = RangeGroups(device, count: rows * depth)
    }

    /// The bytes from one row to the next.
    var pitch: Int { depth.roundedUp(to: 16) }

    /// The type of the bytes.
    var elementType: ElementType {
        switch quantization {
        case .byRow, .integers: .int8
        case .whole: .uint8
        case .fixed(_, _, let elementType): elementType
        }
    }

    /// The number of kernels.
    var callCount: Int {
        switch quantization {
        case .integers: 0
        case .byRow, .fixed: 1
        case .whole: 2
        }
    }

    // The bytes, then scales, then ranges, then a zero point, in multiples of 64 bytes.
    private var scalesStart: Int { (rows * pitch).roundedUp(to: 64) }
    private var rangesStart: Int { scalesStart + ((quantization == .byRow ? rows : 1) * 4).roundedUp(to: 64) }
    private var pointStart: Int { rangesStart + (whole.groups * 8).roundedUp(to: 64) }
    var scratchByteCount: Int { callCount == 0 ? 0 : pointStart + 64 }

    /// What the kernels make of rows.
    struct Result {
        var bytes: Operand
        var rowPitch: Int
        var isPadded = true
        var points: KernelCall.ZeroPointArguments
        var scales: KernelCall.Argument
        var scaleStep = 0
        var calls: [KernelCall] = []
    }

    func result(_ input: Operand, scratch: Operand) throws -> Result {
        let bytes = scratch.part(elementType, count: rows * pitch, fromByte: 0)
        let scales = scratch.part(.float32, count: quantization == .byRow ? rows : 1, fromByte: scalesStart)
        func fixed(_ scale: Float) throws -> KernelCall.Argument {
            .constant(try Tensor([scale], shape: [1]), packing: "scale") { $0 }
        }
        switch quantization {
        case .integers(let scale, let zeroPoint):
            return Result(
                bytes: input, rowPitch: depth, isPadded: false, points: KernelCall.ZeroPointArguments(zeroPoint),
                scales: try fixed(scale))
        case .byRow:
            var macros = group.macros
            macros["BY_ROW"] = "1"
            let call = KernelCall(
                .quantization, kernel: "quantize_rows", macros: macros,
                arguments: [.operand(input), .operand(bytes), .operand(scales)] + ints([rows, depth, pitch]),
                global: group.global(rows), local: group.local)
            return Result(
                bytes: bytes, rowPitch: pitch, points: KernelCall.ZeroPointArguments(0), scales: .operand(scales),
                scaleStep: 1, calls: [call])
        case .whole:
            let point = scratch.part(.uint8, count: 1, fromByte: pointStart)
            let ranges = scratch.part(.float32, count: 2 * whole.groups, fromByte: rangesStart)
            let calls = whole.calls(
                input, rows: rows, length: depth, pitch: pitch, storesPadding: true, ranges: ranges, bytes: bytes,
                scale: scales, zeroPoint: point)
            return Result(
                bytes: bytes, rowPitch: pitch, points: KernelCall.ZeroPointArguments(.operand(point)),
                scales: .operand(scales), calls: calls)
        case .fixed(let scale, let zeroPoint, let elementType):
            let range = elementType.quantizedRange ?? 0...0
            let call = KernelCall(
                .quantization, kernel: "quantize_fixed", macros: ["FIXED": "1"],
                arguments: [.operand(input), .operand(bytes)] + ints([depth, pitch]) + [
                    .float(scale), .int(zeroPoint), .int(range.lowerBound), .int(range.upperBound),
                ], global: [pitch / 4, rows])
            return Result(
                bytes: bytes, rowPitch: pitch, points: KernelCall.ZeroPointArguments(zeroPoint),
                scales: try fixed(scale), calls: [call])
        }
    }
}

/// The work-groups that find the range of a whole value.
struct RangeGroups: Sendable {
    private static let maximumGroups = 256

    /// The work-items of a group, and the number of groups.
    let items, groups: Int
    private let count: Int

    init(_ device: DeviceInformation, count: Int) {
        var items = 1
        if device.kind != .processor { while items < 256, items * 2 <= device.maximumWorkGroupSize { items *= 2 } }
        self.items = items
        self.count = count
        // 16 numbers for each work-item, or more.
        groups = max(1, min(Self.maximumGroups, count / (16 * items)))
    }

    /// - Parameters:
    ///   - ranges: Memory for two numbers of every group.
    ///   - bytes: Receives rows, `pitch` bytes apart.
    func calls(
        _ input: Operand, rows: Int, length: Int, pitch: Int, storesPadding: Bool, ranges: Operand, bytes: Operand,
        scale: Operand, zeroPoint: Operand
    ) -> [KernelCall] {
        let macros = ["BY_RANGE": "1", "ITEMS": "\(items)"]
        let wordCount = rows * ((pitch + 3) / 4)
        return [
            KernelCall(
                .quantization, kernel: "find_ranges", macros: macros,
                arguments: [.operand(input), .operand(ranges), .int(Int32(count))], global: [items * groups],
                local: [items]),
            KernelCall(
                .quantization, kernel: "quantize_by_range", macros: macros,
                arguments: [.operand(input), .operand(ranges), .operand(bytes), .operand(scale), .operand(zeroPoint)]
                    + ints([groups, rows, length, pitch, storesPadding ? 1 : 0]),
                global: [wordCount.roundedUp(to: items)], local: [items]),
        ]
    }
}
