import Graphs
import Planning
import Tensors

/// Zero points of a factor of 8-bit integers.
enum ByteZeroPoints: Sendable {
    /// Known numbers: one for all, or one for each column of a right factor.
    case known([Int32])
    /// An input of the node, with a zero point for every `step` rows or columns, and those of a matrix `stackStride`
    /// after those of the one before; 0 where they are the same.
    case given(input: Int, step: Int = 0, stackStride: Int = 0)

    /// The one number that is known for all; nil where there is none.
    var number: Int32? { if case .known(let points) = self, points.count == 1 { points[0] } else { nil } }
}

extension LoweringRequest {
    /// The zero points that an input gives to a factor, which has as many rows or columns as `shape` says.
    ///
    /// - Parameter shape: The factor's extents, in which that of a matrix's other axis is 1.
    func zeroPoints(_ index: Int, of type: TensorType, along shape: [Int]) throws(LoweringRefusal) -> ByteZeroPoints {
        guard let points = inputs.optional(index) else { return .known([0]) }
        guard points.elementType == type.elementType else { throw LoweringRefusal("element types differ") }
        let count = shape.suffix(2).reduce(1, *)
        let isOfOneMatrix = points.rank == 1 || points.shape.suffix(2) == shape.suffix(2)
        if let constant = constants.optional(index) {
            let numbers = constant.elements(as: Int32.self)
            if let first = numbers.first, numbers.allSatisfy({ $0 == first }) { return .known([first]) }
            if numbers.count == count, isOfOneMatrix { return .known(numbers) }
        }
        let step = count == 1 ? 0 : 1
        if points.elementCount == 1 { return .given(input: index) }
        if points.elementCount == count, isOfOneMatrix { return .given(input: index, step: step) }
        if points.shape == shape { return .given(input: index, step: step, stackStride: count) }
        throw LoweringRefusal("zero points \(points.shape) are broadcast")
    }
}

extension KernelCall {
    /// The buffer of zero points, and their strides.
    struct ZeroPointArguments {
        var memory: Argument = .absent
        var number: Int32 = 0
        var step = 0
        var stackStride = 0
        var isInMemory: Bool { if case .absent = memory { false } else { true } }

        init(_ points: ByteZeroPoints, _ operands: StepOperands) throws {
            switch points {
            case .known(let numbers): number = numbers.first ?? 0
            case .given(let input, let step, let stackStride):
                memory = .operand(try operands.input(input).onDevice())
                (self.step, self.stackStride) = (step, stackStride)
            }
        }

        init(_ number: Int32) { self.number = number }

        init(_ memory: Argument) { self.memory = memory }
    }
}

/// A right factor of bytes, as words of four along the depth, in the form that `pack_words.cl` describes.
struct ByteWords {
    let argument: KernelCall.Argument
    /// The number of matrices.
    let parts: Int
    /// Whether kernels have to take zero points off the words.
    let hasPoints: Bool
    /// The kernel that packs a factor that is computed at run time.
    var packing: KernelCall?

    /// The words of a row.
    static func pitch(columns: Int) -> Int { columns.roundedUp(to: 4) }

    /// The words of `parts` matrices, with the sums and zero points of their columns.
    static func count(parts: Int, columns: Int, channels: Int, taps: Int = 1) -> Int {
        parts * pitch(columns: columns) * ((channels + 3) / 4 * taps + 2)
    }
}

/// Constant weights of 8 bits.
struct ByteWeights: Sendable {
    let group: Int
    /// What is taken off every weight before it is stored as a signed byte.
    let storedPoint: Int32
    /// What kernels take off the stored weights of every column, or of all: nothing for the usual zero points.
    let remainingPoints: [Int32]
    /// Whether the weights are a matrix `[depth, columns]`.
    var isMatrix = false

    /// - Parameter zeroPoints: One for all columns, or one for each.
    init(group: Int = 1, zeroPoints: [Int32], elementType: ElementType, isMatrix: Bool = false) {
        self.group = group
        self.isMatrix = isMatrix
        let storedPoint: Int32 = elementType == .uint8 ? 128 : 0
        self.storedPoint = storedPoint
        remainingPoints = zeroPoints.map { $0 - storedPoint }
    }

    func words(_ weights: Tensor) -> ByteWords {
        let points = remainingPoints.map(String.init).joined(separator: ",")
        let packing = "\(isMatrix ? "matrix as " : "")words of bytes/\(group)/\(storedPoint)/\(points)"
        return ByteWords(
            argument: .constant(weights, packing: packing) { try pack(isMatrix ? $0.transposed([1, 0]) : $0) },
            parts: group, hasPoints: remainingPoints.contains { $0 != 0 })
    }

    /// Packs weights `[M, C/group, taps…]` as words `[group][taps][C/group / 4][M/group]`, then the sums of columns,
    /// then their remaining points.
    private func pack(_ weights: Tensor) throws -> Tensor {
        let (columns, channels) = (weights.shape[0] / group, weights.shape[1])
        let taps = weights.shape[2...].reduce(1, *)
        let (words, pitch) = ((channels + 3) / 4, ByteWords.pitch(columns: columns))
        let values = weights.elements(as: Int32.self)
        let depth = taps * words
        var packed = [Int32](repeating: 0, count: group * (depth + 2) * pitch)
        for column in 0..<group * columns {
            let (place, within) = (column / columns, column % columns)
            let point = remainingPoints[remainingPoints.count == 1 ? 0 : column]
            let missing = UInt32(UInt8(truncatingIfNeeded: point))
            var sum: Int32 = 0
            for tap in 0..<taps {
                for word in 0..<words {
                    var bits: UInt32 = 0
                    for byte in 0..<4 {
                        let channel = 4 * word + byte
                        guard channel < channels else {
                            bits |= missing << (8 * byte)
                            continue
                        }
                        let value = values[(column * channels + channel) * taps + tap] &- storedPoint
                        sum &+= value &- point
                        bits |= UInt32(UInt8(truncatingIfNeeded: value)) << (8 * byte)
                    }
                    packed[(place * depth + tap * words + word) * pitch + within] = Int32(bitPattern: bits)
                }
            }
            packed[(group * depth + place) * pitch + within] = sum
            packed[(group * (depth + 1) + place) * pitch + within] = point
        }
        return try Tensor(packed, shape: [packed.count])
    }
}

/// A right factor that is computed at run time, or whose zero points are. Strides are in elements.
struct ComputedBytes {
    let operand: Operand
    let zeroPoints: KernelCall.ZeroPointArguments
    var parts = 1
    let columns: Int
    let channels: Int
    var taps = 1
    var partStride = 0
    let columnStride: Int
    let channelStride: Int
    var tapStride = 0

    /// The factor packed in scratch memory.
    func words(in scratch: Operand) -> ByteWords {
        let pitch = ByteWords.pitch(columns: columns)
        let count = ByteWords.count(parts: parts, columns: columns, channels: channels, taps: taps)
        let memory = scratch.part(.int32, count: count, fromByte: 0)
        var macros = ["RIGHT_SIGNED": operand.elementType.signMacro]
        if zeroPoints.isInMemory { macros["POINTS"] = "1" }
        let arguments: [KernelCall.Argument] =
            [.operand(operand), zeroPoints.memory, .operand(memory)] + ints([columns, pitch, channels, taps])
            + [.long(partStride)] + ints([columnStride, channelStride, tapStride]) + [.int(zeroPoints.number)]
            + ints([zeroPoints.step, zeroPoints.stackStride])
        let call = KernelCall(
            .packWords, kernel: "pack_words", macros: macros, arguments: arguments, global: [pitch, parts])
        return ByteWords(argument: .operand(memory), parts: parts, hasPoints: true, packing: call)
    }
}
