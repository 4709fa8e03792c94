import Graphs
import Planning
import Tensors

/// MatMulNBits with weights that are part of the network: they stay in 4 bits in memory, and are widened in registers.
struct NibbleProductLowering: Lowering {
    let name = "nibble-gemm"
    let device: DeviceInformation

    /// The part of the full arithmetic speed that a product of many rows reaches; not measured.
    private static let efficiency = 0.3

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let operation = request.operation as? MatMulNBits else { return .otherOperator }
        guard let input = request.inputs[0], let output = request.outputs.first, input.elementType == .float32
        else { return .decline("elements are not float32") }
        guard let weights = request.constants.optional(1), let scales = request.constants.optional(2) else {
            return .decline("weights are computed at run time")
        }
        let (points, bias) = (
            request.constants.optional(MatMulNBits.zeroPointPosition),
            request.constants.optional(MatMulNBits.biasPosition)
        )
        for (position, constant) in [(MatMulNBits.zeroPointPosition, points), (MatMulNBits.biasPosition, bias)] {
            guard constant != nil || request.inputs.optional(position) == nil else {
                return .decline("zero points or bias are computed at run time")
            }
        }
        guard input.elementCount > 0, output.elementCount > 0 else { return .decline("a value is empty") }
        let (depth, columns) = (operation.depth, operation.columns)
        guard
            [input.elementCount, output.elementCount, [depth, columns.roundedUp(to: 4)].saturatingProduct].allSatisfy({
                $0 <= Int(Int32.max) / 2
            })
        else { return .decline("extents exceed integers of 32 bits") }
        let rows = input.elementCount / depth
        let tile = NibbleTile(device, rows: rows)
        let hasAddend = request.inputs.optional(MatMulNBits.addendPosition) != nil
        let layouts: [Layout?] = [.rowMajor] + Array(repeating: nil, count: max(0, request.inputs.count - 1))
        // Half a byte for each weight, and 8 bytes for each group.
        let weightByteCount = columns * (depth / 2 + 8 * operation.blockCount)
        return .accept(
            Candidate(
                microseconds: OpenCLSpeed(device).microseconds(
                    multiplyAdds: request.cost.multiplyAdds,
                    byteCount: 4 * (input.elementCount + output.elementCount) + weightByteCount,
                    efficiency: Self.efficiency),
                inputLayouts: hasAddend ? layouts.dropLast() + [.rowMajor] : layouts, outputLayouts: [.rowMajor],
                readsSlices: false, writesSlices: false,
                sharing: hasAddend ? .overwriting(input: MatMulNBits.addendPosition) : nil,
                makeDeviceStep: { operands in
                    let addend = hasAddend ? try operands.input(MatMulNBits.addendPosition).onDevice() : nil
                    let output = operands.outputs[0]
                    let pitch = columns.roundedUp(to: 4)
                    var macros = tile.macros
                    macros["ACTIVATION"] = "\(Epilogue.number(operation.activation))"
                    let packed = NibbleWeights(operation: operation, pitch: pitch)
                    let arguments: [KernelCall.Argument] =
                        [
                            .operand(try operands.input(0).onDevice()),
                            .constant(weights, packing: "nibbles/\(depth)") { try packed.words($0) },
                            try packed.groups(scales, points), try packed.bias(bias), .operand(addend ?? output),
                            .operand(output),
                        ] + ints([rows, columns, depth, pitch, operation.blockSize / 8, operation.blockCount])
                        + [.int(addend == nil ? 0 : 1)] + Epilogue.arguments(operation.activation).dropFirst()
                    return KernelStep([
                        KernelCall(
                            .nibbles, kernel: "nibble_product", macros: macros, arguments: arguments,
                            global: tile.global(rows: rows, columns: columns), local: tile.group)
                    ])
                }))
    }
}

/// The rows and columns of a work-group's part of a product with weights of 4 bits.
private struct NibbleTile {
    /// What a work-item computes.
    let rows, columns: Int
    let columnItems, depthItems: Int

    /// With few rows, many work-items share the depth, and each weight is read once. With many, rows share a weight.
    init(_ device: DeviceInformation, rows: Int) {
        let isProcessor = device.kind == .processor
        if rows <= 8 {
            var tile = 1
            while tile < rows { tile *= 2 }
            self.rows = tile
            columns = 1
            (columnItems, depthItems) = isProcessor ? (16, 1) : (16, min(16, max(1, device.maximumWorkGroupSize / 16)))
        } else {
            (self.rows, columns) = (isProcessor ? 8 : 16, isProcessor ? 1 : 2)
            (columnItems, depthItems) = isProcessor ? (16, 1) : device.maximumWorkGroupSize < 256 ? (16, 1) : (64, 4)
        }
    }

    var group: [Int] { [columnItems, depthItems, 1] }

    func global(rows: Int, columns: Int) -> [Int] {
        let wide = columnItems * self.columns
        return [
            columns.roundedUp(to: wide) / wide * columnItems, depthItems, rows.roundedUp(to: self.rows) / self.rows,
        ]
    }

    var macros: [String: String] {
        [
            "ROWS": "\(rows)", "COLUMNS": "\(columns)", "COLUMN_ITEMS": "\(columnItems)",
            "DEPTH_ITEMS": "\(depthItems)", "ITEM_WORDS": "2",
        ]
    }
}

/// The constants of a product with weights of 4 bits, as `nibbles.cl` reads them.
private struct NibbleWeights: Sendable {
    let operation: MatMulNBits
    let pitch: Int

    /// The weights as words of eight, `[⌈K / 8⌉][pitch]`.
    func words(_ weights: Tensor) throws -> Tensor {
        let bytes = weights.elements(as: UInt8.self)
        let (count, stride) = ((operation.depth + 7) / 8, operation.blockCount * (operation.blockSize / 2))
        var words = [Int32](repeating: 0, count: count * pitch)
        for column in 0..<operation.columns {
            for word in 0..<count {
                let first = column * stride + 4 * word
                let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[first + $1]) << (8 * $1) }
                words[word * pitch + column] = Int32(bitPattern: bits)
            }
        }
        return try Tensor(words, shape: [words.count])
    }

    /// The scale and the offset, −zero point · scale, of every group.
    func groups(_ scales: Tensor, _ points: Tensor?) throws -> KernelCall.Argument {
        let (numbers, zeros) = (scales.elements(as: Float.self), operation.zeroPoints(points))
        let count = operation.blockCount
        var values = [Float](repeating: 0, count: 2 * count * pitch)
        for column in 0..<operation.columns {
            for group in 0..<count {
                let (scale, zero) = (numbers[column * count + group], zeros[column * count + group])
                values[group * pitch + column] = scale
                values[(count + group) * pitch + column] = -(zero * scale)
            }
        }
        return .constant(try Tensor(values, shape: [values.count]), packing: "groups") { $0 }
    }

    func bias(_ bias: Tensor?) throws -> KernelCall.Argument {
        let numbers = bias?.elements(as: Float.self) ?? []
        let padded = numbers + [Float](repeating: 0, count: pitch - numbers.count)
        return .constant(try Tensor(padded, shape: [pitch]), packing: "bias") { $0 }
    }
}
