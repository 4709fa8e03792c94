import Graphs
import Planning
import Tensors

/// Bilinear resizing of images of 8-bit integers; every output row is a piece of work.
struct IntegerResizeLowering: Lowering {
    let name = "integer-resize"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let resize = request.operation as? IntegerResize else { return .otherOperator }
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            return .decline("an operand is missing")
        }
        guard input.elementType.byteCount == 1, input.elementCount > 0, output.elementCount > 0 else {
            return .decline("not images of 8-bit integers")
        }
        return .accept(
            Candidate(
                microseconds: 1 + Double(output.elementCount) / 300 / Double(request.threadCount),
                inputLayouts: [.channelsLast] + request.inputs.dropFirst().map { _ in nil },
                outputLayouts: [.channelsLast]
            ) { operands in
                let usesFloat32 = input.elementType == .uint8
                return IntegerResizeStep(
                    rows: resize.positions(input: input.shape[2], output: output.shape[2], usesFloat32: usesFloat32),
                    columns: resize.positions(
                        input: input.shape[3], output: output.shape[3], usesFloat32: usesFloat32),
                    input: try operands.input(0), output: operands.outputs[0])
            })
    }
}

private struct IntegerResizeStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<UInt8>
        let output: UnsafeMutablePointer<UInt8>
        let rows: UnsafePointer<IntegerResize.Position>
        let columns: UnsafePointer<IntegerResize.Position>
        let from: ImageView
        let to: ImageView
        let isSigned: Bool
    }

    let rows: [IntegerResize.Position]
    let columns: [IntegerResize.Position]
    let input: Operand
    let output: Operand

    func run(_ context: StepContext) {
        rows.withUnsafeBufferPointer { rows in
            columns.withUnsafeBufferPointer { columns in
                guard let rows = rows.baseAddress, let columns = columns.baseAddress else { return }
                let to = ImageView(output)
                let arguments = Arguments(
                    input: context.bytes(input), output: context.mutableBytes(output), rows: rows, columns: columns,
                    from: ImageView(input), to: to, isSigned: input.elementType == .int8)
                context.workers.run(to.count * to.height, arguments) { context, index, _ in
                    Self.run(context.load(as: Arguments.self), index)
                }
            }
        }
    }

    private static func run(_ it: Arguments, _ index: Int) {
        let (image, line) = index.quotientAndRemainder(dividingBy: it.to.height)
        let row = it.rows[line]
        let source = it.input + image * it.from.imageStride
        let (top, bottom) = (source + Int(row.lower) * it.from.rowStride, source + Int(row.upper) * it.from.rowStride)
        var target = it.output + image * it.to.imageStride + line * it.to.rowStride
        for x in 0..<it.to.width {
            let column = it.columns[x]
            let (left, right) = (Int(column.lower) * it.from.pixelStride, Int(column.upper) * it.from.pixelStride)
            if it.isSigned {
                // Sums of bytes with weights that add up to 2²⁰ fit in 32 bits.
                let (a, b) = ((1024 - row.share) * (1024 - column.share), (1024 - row.share) * column.share)
                let (c, d) = (row.share * (1024 - column.share), row.share * column.share)
                for channel in 0..<it.to.channels {
                    func value(_ line: UnsafePointer<UInt8>, _ offset: Int) -> Int32 {
                        Int32(Int8(bitPattern: line[offset + channel]))
                    }
                    let sum =
                        a &* value(top, left) &+ b &* value(top, right) &+ c &* value(bottom, left)
                        &+ d &* value(bottom, right)
                    let rounded = (sum &+ (sum > 0 ? 1 << 19 : -1 << 19)) / 1 << 20
                    target[channel] = UInt8(truncatingIfNeeded: rounded)
                }
            } else {
                let (y, x) = (row.fraction, column.fraction)
                for channel in 0..<it.to.channels {
                    func value(_ line: UnsafePointer<UInt8>, _ offset: Int) -> Float { Float(line[offset + channel]) }
                    let near = value(top, left) * (1 - y) * (1 - x) + value(bottom, left) * y * (1 - x)
                    let sum = near + value(top, right) * (1 - y) * x + value(bottom, right) * y * x + 0.5
                    target[channel] = UInt8(min(max(sum, 0), 255))
                }
            }
            target += it.to.pixelStride
        }
    }
}
