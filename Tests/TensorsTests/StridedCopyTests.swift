import Graphs
import Tensors
import Testing

@Suite("Strided copies")
struct StridedCopyTests {
    /// An arrangement of a shape in memory: axes in a random order, with random gaps.
    private struct Arrangement {
        var strides: [Int]
        var elementCount: Int

        init(_ shape: [Int], using generator: inout SplitMix64) {
            strides = [Int](repeating: 0, count: shape.count)
            elementCount = 1
            for axis in shape.indices.shuffled(using: &generator) {
                strides[axis] = elementCount
                let gap = Int.random(in: 0...1, using: &generator) * Int.random(in: 0...3, using: &generator)
                elementCount = max(1, elementCount * max(shape[axis], 1)) + gap
            }
        }

        func position(_ index: [Int]) -> Int { zip(index, strides).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    @Test("Random arrangements are copied element by element, and nothing else is touched")
    func copies() {
        for seed in UInt64(0)..<600 {
            var generator = SplitMix64(seed: seed)
            let rank = Int.random(in: 0...5, using: &generator)
            let shape = (0..<rank).map { _ in Int.random(in: 0...(rank < 4 ? 20 : 6), using: &generator) }
            let size = [1, 2, 4, 8].randomElement(using: &generator) ?? 1
            let (from, to) = (Arrangement(shape, using: &generator), Arrangement(shape, using: &generator))
            let source = (0..<from.elementCount * size).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let untouched = (0..<to.elementCount * size).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var expected = untouched
            var index = [Int](repeating: 0, count: shape.count)
            for number in 0..<shape.reduce(1, *) {
                var rest = number
                for axis in shape.indices.reversed() {
                    (rest, index[axis]) = rest.quotientAndRemainder(dividingBy: shape[axis])
                }
                for byte in 0..<size {
                    expected[to.position(index) * size + byte] = source[from.position(index) * size + byte]
                }
            }
            let arrangements = (from: from.strides, to: to.strides)
            // In 64-bit words, so that elements are aligned.
            var found = [UInt64](repeating: 0, count: (untouched.count + 7) / 8)
            var words = [UInt64](repeating: 0, count: (source.count + 7) / 8)
            words.withUnsafeMutableBytes { $0.copyBytes(from: source) }
            let bytes: [UInt8] = found.withUnsafeMutableBytes { found in
                found.copyBytes(from: untouched)
                words.withUnsafeBytes { words in
                    guard let from = words.baseAddress, let to = found.baseAddress else { return }
                    // Whole, or in two parts along an axis.
                    let axis = shape.indices.randomElement(using: &generator)
                    let cut = axis.map { Int.random(in: 0...shape[$0], using: &generator) } ?? 0
                    let parts: [(axis: Int, positions: Range<Int>)?] =
                        seed % 2 == 0 ? [nil] : axis.map { [($0, 0..<cut), ($0, cut..<shape[$0])] } ?? [nil]
                    for part in parts {
                        copyStrided(
                            shape: shape, elementByteCount: size, from: from, sourceStrides: arrangements.from,
                            to: to, destinationStrides: arrangements.to, part: part)
                    }
                }
                return Array(found.prefix(untouched.count))
            }
            #expect(bytes == expected, "seed \(seed): shape \(shape), \(size) bytes")
        }
    }
}
