import Graphs
import Planning
import Tensors

/// MatMulInteger, QLinearMatMul and IntegerMatMul: products of 8-bit integers, either of which may be computed at run
/// time.
struct IntegerProductLowering: Lowering {
    let name = "integer-product"
    let device: DeviceInformation
    let arithmetic: ByteArithmetic

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let product: ByteProduct
        do { product = try ByteProduct(request) } catch { return error.answer }
        let (cost, speed) = (request.cost, OpenCLSpeed(device))
        let packing = product.packsRight ? speed.startMicroseconds : 0
        let extents = Product(
            rows: product.rows, columns: product.columns, depth: (product.depth + 3) / 4, stack: product.stack,
            isDivisible: false)
        let layouts = request.inputs.indices.map { product.reads($0) ? Layout.rowMajor : nil }
        return extents.answer(arithmetic.tiles(), at: speed) { division in
            Candidate(
                microseconds: speed.microseconds(division, byteCount: cost.bytes) + packing,
                inputLayouts: layouts, outputLayouts: [.rowMajor], readsSlices: false, writesSlices: false,
                scratchByteCount: product.packsRight ? 4 * product.wordCount : 0,
                makeDeviceStep: { [arithmetic] operands in
                    KernelStep(try product.call(operands).calls(division.tiles, arithmetic.dot()))
                })
        }
    }
}

/// A stack of products of matrices of 8-bit integers.
private struct ByteProduct: Sendable {
    /// The positions of the factors and their zero points among the inputs. Without inputs, zero points are known.
    struct Positions {
        let left, right: Int
        var leftPoint, rightPoint: Int?
    }

    let positions: Positions
    let stack, rows, columns, depth: Int
    private let leftPoints, rightPoints: ByteZeroPoints
    /// The right factor where it and its zero points are part of the network, and it is one matrix.
    private let weights: Tensor?
    private let rightParts: Int
    private let requantization: Requantization?

    /// Whether kernels read an input as it is.
    func reads(_ index: Int) -> Bool {
        if index == positions.left { return true }
        if index == positions.right { return packsRight }
        return index == positions.leftPoint || index == positions.rightPoint
    }

    var packsRight: Bool { weights == nil }
    var wordCount: Int { ByteWords.count(parts: rightParts, columns: columns, channels: depth) }

    init(_ request: LoweringRequest) throws(LoweringRefusal) {
        var known: (left: Int32, right: Int32)?
        switch request.operation {
        case is MatMulInteger: positions = Positions(left: 0, right: 1, leftPoint: 2, rightPoint: 3)
        case is QLinearMatMul: positions = Positions(left: 0, right: 3, leftPoint: 2, rightPoint: 5)
        case let product as IntegerMatMul:
            positions = Positions(left: 0, right: 1)
            known = (product.aZeroPoint, product.bZeroPoint)
        default: throw .otherOperator
        }
        guard let a = request.inputs.optional(positions.left), let b = request.inputs.optional(positions.right),
            let output = request.outputs.first
        else { throw LoweringRefusal("an operand is missing") }
        guard a.elementType.isQuantizedByte, b.elementType.isQuantizedByte else {
            throw LoweringRefusal("elements are \(a.elementType) and \(b.elementType)")
        }
        guard a.rank >= 2, b.rank >= 2 else { throw LoweringRefusal("a factor is a vector") }
        guard b.rank == 2 || (b.rank == a.rank && b.shape.dropLast(2) == a.shape.dropLast(2)) else {
            throw LoweringRefusal("stacks \(a.shape) and \(b.shape) differ")
        }
        guard a.elementCount > 0, output.elementCount > 0 else { throw LoweringRefusal("a value is empty") }
        guard [a, b, output].allSatisfy({ $0.elementCount <= Int(Int32.max) }) else {
            throw LoweringRefusal("extents exceed integers of 32 bits")
        }
        (columns, depth) = (b.shape[b.rank - 1], a.shape[a.rank - 1])
        // 255 · 255 · 2¹⁵ is just below 2³¹.
        guard depth <= 1 << 15 else { throw LoweringRefusal("sums may exceed 32 bits") }
        if let known {
            for (type, point) in [(a, known.left), (b, known.right)] {
                guard type.elementType.quantizedRange?.contains(point) ?? false else {
                    throw LoweringRefusal("a zero point lies outside the range of its type")
                }
            }
            (leftPoints, rightPoints) = (.known([known.left]), .known([known.right]))
        } else {
            let (rowAxis, columnAxis) = (a.shape.dropLast() + [1], b.shape.dropLast(2) + [1, columns])
            let points = try request.zeroPoints(positions.leftPoint ?? 0, of: a, along: Array(rowAxis))
            // Known zero points of rows are read from memory.
            if case .known(let numbers) = points, numbers.count > 1, let input = positions.leftPoint {
                leftPoints = .given(input: input, step: 1)
            } else {
                leftPoints = points
            }
            rightPoints = try request.zeroPoints(positions.rightPoint ?? 0, of: b, along: Array(columnAxis))
        }
        if case .known = rightPoints, b.rank == 2 {
            weights = request.constants.optional(positions.right)
        } else {
            weights = nil
        }
        let matrices = a.shape.dropLast(2).reduce(1, *)
        rightParts = b.rank == 2 ? 1 : matrices
        // With one matrix on the right, all rows are those of one product.
        let isOne = b.rank == 2 && leftPoints.number != nil
        (stack, rows) = isOne ? (1, a.elementCount / depth) : (matrices, a.shape[a.rank - 2])
        requantization = try Self.requantization(request, columns: columns)
        guard wordCount <= Int(Int32.max) else { throw LoweringRefusal("extents exceed integers of 32 bits") }
    }

    /// How sums become bytes; nil where they stay.
    private static func requantization(
        _ request: LoweringRequest, columns: Int
    ) throws(LoweringRefusal) -> Requantization? {
        if request.operation is MatMulInteger { return nil }
        if let product = request.operation as? IntegerMatMul {
            guard product.requantization.runsOnDevice else { throw LoweringRefusal("sums of 64 bits") }
            return product.requantization
        }
        return try request.requantization(scales: (1, 4, 6), zeroPoint: 7, columns: columns)
    }

    func call(_ operands: StepOperands) throws -> IntegerMatrixCall {
        let right: ByteWords
        if let weights, case .known(let points) = rightPoints {
            right = ByteWeights(zeroPoints: points, elementType: weights.elementType, isMatrix: true).words(weights)
        } else {
            let operand = try operands.input(positions.right).onDevice()
            var zeroPoints: KernelCall.ZeroPointArguments
            if case .known(let points) = rightPoints, points.count > 1, let input = positions.rightPoint {
                zeroPoints = KernelCall.ZeroPointArguments(.operand(try operands.input(input).onDevice()))
                zeroPoints.step = 1
            } else {
                zeroPoints = try KernelCall.ZeroPointArguments(rightPoints, operands)
            }
            right = ComputedBytes(
                operand: operand, zeroPoints: zeroPoints, parts: rightParts, columns: columns, channels: depth,
                partStride: depth * columns, columnStride: 1, channelStride: columns
            ).words(in: operands.scratch)
        }
        return IntegerMatrixCall(
            stack: stack, rows: rows, columns: columns, depth: depth,
            left: try operands.input(positions.left).onDevice(), leftStackStride: rows * depth, leftRowStride: depth,
            leftPoints: try KernelCall.ZeroPointArguments(leftPoints, operands), right: right,
            output: operands.outputs[0], result: requantization.map { .bytes($0, bias: nil) } ?? .sums)
    }
}

extension LoweringRequest {
    /// The requantization with which QLinearConv and QLinearMatMul round their sums.
    ///
    /// - Parameter scales: The positions of the scales of both factors and of the result.
    func requantization(
        scales: (left: Int, right: Int, result: Int), zeroPoint: Int, columns: Int
    ) throws(LoweringRefusal) -> Requantization {
        func numbers(_ index: Int) throws(LoweringRefusal) -> [Float] {
            guard let scale = constants.optional(index), scale.elementType == .float32 else {
                throw LoweringRefusal("scales are computed at run time, or not float32")
            }
            guard scale.elementCount == 1 || scale.shape.last == columns else {
                throw LoweringRefusal("rows or stacks have scales of their own")
            }
            return scale.elements(as: Float.self)
        }
        let (left, right, result) = (try numbers(scales.left), try numbers(scales.right), try numbers(scales.result))
        guard left.count == 1, result.count == 1, right.count == 1 || right.count == columns else {
            throw LoweringRefusal("rows or stacks have scales of their own")
        }
        guard let point = constants.optional(zeroPoint), point.elementCount == 1,
            let range = point.elementType.quantizedRange, point.elementType.isQuantizedByte
        else { throw LoweringRefusal("the result's zero point is not one known number of 8 bits") }
        let factors = right.map { left[0] * $0 / result[0] }
        guard factors.allSatisfy(\.isFinite) else { throw LoweringRefusal("a scale is not finite") }
        return Requantization(
            .float(factors), zeroPoint: point.elements(as: Int32.self)[0], range: range,
            elementType: point.elementType)
    }
}
