import Planning
import Tensors

extension OpenCLDevice {
    /// The fastest way to add products of four bytes whose results are right, as a kernel that the first call runs
    /// finds.
    package var integerDot: IntegerDot {
        knownDot.withLock { known in
            if let dot = known { return dot }
            let dot = IntegerDot.candidates(information).first { $0 == .plain || isRight($0) } ?? .plain
            known = dot
            return dot
        }
    }

    /// Whether sums of products of bytes, with the first factor's signed or not, are right.
    package func isRight(_ dot: IntegerDot) -> Bool {
        [true, false].allSatisfy { (try? probe(dot, isSigned: $0)) ?? false }
    }

    private func probe(_ dot: IntegerDot, isSigned: Bool) throws -> Bool {
        // The extremes, and words whose bytes all differ.
        let words: [UInt32] = [0, .max, 0x8080_8080, 0x7F7F_7F7F, 0x80FF_017F, 0x1234_ABCD, 0xF00F_8118]
        let count = words.count * words.count
        let left = (0..<count).map { words[$0 / words.count] }
        let right = (0..<count).map { words[$0 % words.count] }
        let sums = Operand(elementType: .int32, shape: [count], strides: [1], place: .device(offset: 0))
        func constant(_ words: [UInt32]) throws -> KernelCall.Argument {
            .constant(try Tensor(words.map { Int32(bitPattern: $0) }, shape: [count]), packing: "words") { $0 }
        }
        let call = KernelCall(
            .dot, kernel: "probe_dots", macros: dot.macros(isSigned: isSigned).merging(["PROBE": "1"]) { $1 },
            arguments: [try constant(left), try constant(right), .operand(sums)], global: [count])
        let byteCount = count * MemoryLayout<Int32>.stride
        let part = DevicePart(
            device: self, steps: [KernelStep([call])], arenaByteCount: byteCount, stagingByteCount: byteCount)
        let prepared = try makeStream(recordingTimes: false).prepare(part)
        try prepared.enqueue(step: 0)
        try prepared.download(arenaOffset: 0, stagingOffset: 0, byteCount: byteCount)
        try prepared.finish()
        let found = prepared.staging.bindMemory(to: Int32.self, capacity: count)
        return (0..<count).allSatisfy { index in
            let products = (0..<4).map { byte -> Int32 in
                let a = UInt8(truncatingIfNeeded: left[index] >> (8 * byte))
                let b = UInt8(truncatingIfNeeded: right[index] >> (8 * byte))
                return (isSigned ? Int32(Int8(bitPattern: a)) : Int32(a)) * Int32(Int8(bitPattern: b))
            }
            return found[index] == products.reduce(Int32(index), +)
        }
    }
}
