import Graphs
import Planning
import Tensors

/// A 2-D convolution of 8-bit integers as a product of words of four bytes, with rows gathered by address.
struct IntegerConvolutionLowering: Lowering {
    let name = "integer-gemm"
    let device: DeviceInformation
    let dot: @Sendable () -> IntegerDot

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let convolution: IntegerConvolutionRequest
        do { convolution = try request.specialized() } catch { return error.answer }
        let operation = convolution.operation
        if let refusal = convolution.refusalOnDevice { return .decline(refusal) }
        let group = operation.convolution.group
        let columns = convolution.weights.shape[0] / group
        let words = (convolution.weights.shape[1] + 3) / 4
        let product = Product(
            rows: convolution.output.elementCount / convolution.output.shape[1], columns: columns,
            depth: words * convolution.geometry.kernel.reduce(1, *), stack: group, isDivisible: false)
        let (cost, speed) = (request.cost, OpenCLSpeed(device))
        return product.answer(MatrixTiles.ofBytes(device), at: speed) { division in
            Candidate(
                microseconds: speed.microseconds(division, byteCount: cost.bytes),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                makeDeviceStep: { [dot] operands in
                    KernelStep([try call(convolution, division.tiles, dot(), operands)])
                })
        }
    }

    private func call(
        _ convolution: IntegerConvolutionRequest, _ tiles: MatrixTiles, _ dot: IntegerDot, _ operands: StepOperands
    ) throws -> KernelCall {
        let (operation, geometry) = (convolution.operation, convolution.geometry)
        let (input, output) = (try ImageValue(try operands.input(0)), try ImageValue(operands.outputs[0]))
        let group = operation.convolution.group
        let (columns, channels) = (convolution.weights.shape[0] / group, convolution.weights.shape[1])
        let rows = output.view.count * output.view.pixelCount
        let weights = ByteWeights(
            group: group, zeroPoint: operation.weightZeroPoint, elementType: convolution.weights.elementType)
        let pitch = weights.pitch(columns: columns)
        let inputUnits = [channels] + input.vectorUnits
        // Four words at a time are read where a tap's words are a multiple of four, too.
        let adjacentWords = inputUnits.areMultiples(of: 16) ? 4 : 1
        let isAligned = inputUnits.areMultiples(of: 4)
        var macros = tiles.macros.merging(dot.macros(isSigned: convolution.input.elementType == .int8)) { $1 }
        macros["ROUNDING"] = operation.requantization.roundingMacro
        macros["LEFT_WORDS"] = "\(adjacentWords)"
        macros["ALIGNED"] = isAligned ? "1" : "0"
        macros["OUTPUT_VECTOR"] = ([columns] + output.vectorUnits).areMultiples(of: 4) ? "4" : "1"
        if weights.remainingPoint != 0 { macros["SUMS_ROWS"] = "1" }
        var arguments: [KernelCall.Argument] = [
            .operand(input.operand), weights.argument(convolution.weights),
            try operation.requantization.parameters(
                bias: convolution.bias, group: group, columns: columns, pitch: pitch),
            .operand(output.operand),
        ]
        arguments += ints([rows, columns, pitch, channels, (channels + 3) / 4, input.view.height, input.view.width])
        arguments += input.strides
        arguments += ints(geometry.kernel + geometry.strides + geometry.dilations + geometry.padsBegin)
        arguments += ints([output.view.height, output.view.width]) + output.strides
        arguments += [.int(operation.inputZeroPoint), .int(weights.remainingPoint)]
        arguments += operation.requantization.ends
        return KernelCall(
            .integerConvolution, kernel: "integer_convolution", macros: macros, arguments: arguments,
            global: tiles.global(rows: rows, columns: columns, stack: group), local: tiles.group)
    }
}

extension IntegerConvolutionRequest {
    /// Why a device cannot compute the convolution; nil when it can.
    var refusalOnDevice: String? {
        guard operation.requantization.runsOnDevice else { return "sums of 64 bits" }
        guard input.elementType.isQuantizedByte, weights.elementType.isQuantizedByte else {
            return "elements are \(input.elementType) and \(weights.elementType)"
        }
        let ranges = [(input.elementType, operation.inputZeroPoint), (weights.elementType, operation.weightZeroPoint)]
        guard ranges.allSatisfy({ $0.quantizedRange?.contains($1) ?? false }) else {
            return "a zero point lies outside the range of its type"
        }
        // 255 · 255 for each product.
        let largest = weights.shape[1...].reduce(255 * 255, *)
        let bias = bias?.elements(as: Int32.self).reduce(0) { max($0, Int($1.magnitude)) } ?? 0
        return largest + bias <= Int(Int32.max) ? nil : "sums may exceed 32 bits"
    }
}

/// Constant weights of 8 bits as words of four along the depth, in the form that `integer_convolution.cl` takes.
struct ByteWeights: Sendable {
    let group: Int
    /// What is taken off every weight before it is stored as a signed byte.
    let storedPoint: Int32
    /// What kernels take off the stored weights: nothing for the usual zero points.
    let remainingPoint: Int32

    init(group: Int, zeroPoint: Int32, elementType: ElementType) {
        self.group = group
        storedPoint = elementType == .uint8 ? 128 : 0
        remainingPoint = zeroPoint - storedPoint
    }

    /// The words of a row.
    func pitch(columns: Int) -> Int { columns.roundedUp(to: 4) }

    func argument(_ weights: Tensor) -> KernelCall.Argument {
        .constant(weights, packing: "words of bytes/\(group)/\(storedPoint)/\(remainingPoint)") { try pack($0) }
    }

    /// Packs weights `[M, C/group, taps…]` as words `[group][taps][C/group / 4][M/group]`, then the sums of columns.
    private func pack(_ weights: Tensor) throws -> Tensor {
        let (columns, channels) = (weights.shape[0] / group, weights.shape[1])
        let taps = weights.shape[2...].reduce(1, *)
        let (words, pitch) = ((channels + 3) / 4, pitch(columns: columns))
        let values = weights.elements(as: Int32.self)
        let depth = taps * words
        let missing = UInt32(UInt8(truncatingIfNeeded: remainingPoint))
        var packed = [Int32](repeating: 0, count: group * (depth + 1) * pitch)
        for column in 0..<group * columns {
            let (place, within) = (column / columns, column % columns)
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
                        sum &+= value &- remainingPoint
                        bits |= UInt32(UInt8(truncatingIfNeeded: value)) << (8 * byte)
                    }
                    packed[(place * depth + tap * words + word) * pitch + within] = Int32(bitPattern: bits)
                }
            }
            packed[group * depth * pitch + place * pitch + within] = sum
        }
        return try Tensor(packed, shape: [packed.count])
    }
}
