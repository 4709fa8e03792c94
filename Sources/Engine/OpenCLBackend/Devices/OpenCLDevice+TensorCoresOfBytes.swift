import Planning
import Tensors

extension OpenCLDevice {
    /// Whether products of 8-bit integers run on tensor cores and are right, as kernels that the first call runs find.
    package var multipliesBytesOnTensorCores: Bool {
        knownTensorCoresOfBytes.withLock { known in
            if let answer = known { return answer }
            let all = TileShape.ofBytes(information, onTensorCores: true).filter(\.isOfBytesOnTensorCores)
            let largest = all.max { $0.localByteCount < $1.localByteCount }
            let answer =
                information.maker == .nvidia && information.kind == .gpu && largest.map { isRight($0) } ?? false
            known = answer
            return answer
        }
    }

    /// Whether a product of bytes with these tiles is right, with the left factor signed or not.
    package func isRight(_ tiles: TileShape) -> Bool {
        [ElementType.uint8, .int8].allSatisfy { (try? probe(tiles, $0)) ?? false }
    }

    private func probe(_ tiles: TileShape, _ elementType: ElementType) throws -> Bool {
        let (rows, columns, depth) = (40, 24, 144)
        let (leftPoint, rightPoint): (Int32, Int32) = (3, -5)
        let range = elementType == .int8 ? -128...127 : 0...255
        let left = (0..<rows * depth).map { range.lowerBound + (37 * ($0 / depth) + 11 * ($0 % depth)) % range.count }
        let right = (0..<depth * columns).map { (29 * ($0 / columns) + 7 * ($0 % columns)) % 256 - 128 }
        let values =
            elementType == .int8
            ? try Tensor(left.map { Int8($0) }, shape: [rows, depth])
            : try Tensor(left.map { UInt8($0) }, shape: [rows, depth])
        let weights = try Tensor(right.map { Int8($0) }, shape: [depth, columns])
        let byteCount = rows * columns * MemoryLayout<Int32>.stride
        let product = IntegerMatrixCall(
            rows: rows, columns: columns, depth: depth,
            left: Operand(
                elementType: elementType, shape: values.shape, strides: values.strides, place: .constant(values)),
            leftRowStride: depth, leftPoints: KernelCall.ZeroPointArguments(leftPoint),
            right: ByteWeights(zeroPoints: [rightPoint], elementType: .int8, isMatrix: true).words(weights),
            output: Operand(
                elementType: .int32, shape: [rows * columns], strides: [1], place: .device(offset: 0)), result: .sums)
        let part = DevicePart(
            device: self, steps: [KernelStep(try product.calls(tiles, .plain))], arenaByteCount: byteCount,
            stagingByteCount: byteCount)
        let prepared = try makeStream(recordingTimes: false).prepare(part)
        try prepared.enqueue(step: 0)
        try prepared.download(arenaOffset: 0, stagingOffset: 0, byteCount: byteCount)
        try prepared.finish()
        let found = prepared.staging.bindMemory(to: Int32.self, capacity: rows * columns)
        return (0..<rows * columns).allSatisfy { index in
            let (m, n) = index.quotientAndRemainder(dividingBy: columns)
            let sum = (0..<depth).reduce(0) { sum, k in
                sum + (left[m * depth + k] - Int(leftPoint)) * (right[k * columns + n] - Int(rightPoint))
            }
            return found[index] == Int32(sum)
        }
    }
}
