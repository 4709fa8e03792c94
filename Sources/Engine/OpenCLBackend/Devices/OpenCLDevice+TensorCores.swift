import Planning
import Tensors

extension OpenCLDevice {
    /// Whether products can have this precision. Float32 is always supported. The others are supported when a product
    /// in the tiles that need most local memory, compiled and run by this call, is right.
    package func supports(_ precision: MatrixPrecision) -> Bool {
        guard precision.isOnTensorCores else { return true }
        guard information.maker == .nvidia else { return false }
        let tiles = TileShape.candidates(information, precision).max { $0.localByteCount < $1.localByteCount }
        guard let tiles, let words = tiles.words else { return false }
        return (try? probe(tiles, words)) ?? false
    }

    /// Whether a product of small whole numbers, which no rounding changes, is right.
    private func probe(_ tiles: TileShape, _ words: TensorCoreWords) throws -> Bool {
        let (rows, columns, depth) = (40, 24, 72)
        let left = (0..<rows * depth).map { Float((3 * ($0 / depth) + $0 % depth) % 11 - 5) }
        let right = (0..<depth * columns).map { Float((2 * ($0 / columns) + $0 % columns) % 7 - 3) }
        let values = try Tensor(left, shape: [rows, depth])
        let zeros = try Tensor([Float](repeating: 0, count: columns), shape: [columns])
        let byteCount = rows * columns * MemoryLayout<Float>.stride
        let output = Operand(
            elementType: .float32, shape: [rows * columns], strides: [1], place: .device(offset: 0))
        let product = MatrixCalls(
            rows: rows, columns: columns, depth: depth,
            left: Operand(
                elementType: .float32, shape: values.shape, strides: values.strides, place: .constant(values)),
            leftRowStride: depth,
            right: .constant(try Tensor(right, shape: [depth, columns]), packing: words.name) { try words.pack($0) },
            rightRowStride: words.count(depth: depth), rightColumns: columns, isRightPadded: true,
            bias: .constant(zeros, packing: "zeros") { $0 }, output: output, outputRowStride: columns)
        let division = SplitK(
            tiles, of: Product(rows: rows, columns: columns, depth: depth, isDivisible: false),
            at: OpenCLSpeed(information))
        let part = DevicePart(
            device: self, steps: [KernelStep(product.calls(division, scratch: output))], arenaByteCount: byteCount,
            stagingByteCount: byteCount)
        let prepared = try makeStream(recordingTimes: false).prepare(part)
        try prepared.enqueue(step: 0)
        try prepared.download(arenaOffset: 0, stagingOffset: 0, byteCount: byteCount)
        try prepared.finish()
        let found = prepared.staging.bindMemory(to: Float.self, capacity: rows * columns)
        return (0..<rows * columns).allSatisfy { index in
            let (m, n) = index.quotientAndRemainder(dividingBy: columns)
            return found[index] == (0..<depth).reduce(0) { $0 + left[m * depth + $1] * right[$1 * columns + n] }
        }
    }
}
