import CPUBackend
import CPUKernels
import Graphs
import Testing

@Suite("Strided walks")
struct StridedLoopTests {
    /// A random walk: extents, the strides of two inputs and of a dense output in a random order of axes.
    private struct Walk {
        var shape: [Int]
        var a: [Int]
        var b: [Int]
        var output: [Int]

        init(_ generator: inout SplitMix64) {
            // In one of ten walks an axis is long enough to be cut.
            let isLong = Int.random(in: 0...9, using: &generator) == 0
            var shape = (0..<Int.random(in: 0...(isLong ? 1 : 5), using: &generator)).map { _ in
                Int.random(in: 1...4, using: &generator)
            }
            if isLong { shape.append(Int.random(in: 16_000...70_000, using: &generator)) }
            let order = shape.indices.shuffled(using: &generator)
            let output = Self.dense(shape, order, gap: Int.random(in: 0...1, using: &generator))
            func input() -> [Int] {
                switch Int.random(in: 0...2, using: &generator) {
                case 0: output
                case 1: Self.dense(shape, shape.indices.shuffled(using: &generator))
                default: Self.dense(shape, order).map { Bool.random(using: &generator) ? 0 : $0 }
                }
            }
            (self.shape, self.output) = (shape, output)
            a = input()
            b = input()
        }

        /// Strides with the axes in a given order, innermost first.
        private static func dense(_ shape: [Int], _ order: [Int], gap: Int = 0) -> [Int] {
            var strides = [Int](repeating: 0, count: shape.count)
            var next = 1
            for axis in order {
                strides[axis] = next
                next = next * shape[axis] + gap
            }
            return strides
        }

        func positions(_ strides: [Int]) -> [Int] {
            var positions = [0]
            for (extent, stride) in zip(shape, strides) {
                positions = positions.flatMap { start in (0..<extent).map { start + $0 * stride } }
            }
            return positions
        }
    }

    private func run(
        _ walk: Walk, _ loop: StridedLoop, _ a: [Float], _ b: [Float], _ output: inout [Float]
    ) {
        var loop = loop
        for piece in (0..<loop.pieceCount).reversed() {
            let rows = loop.rows(piece)
            apus_binary_rows(
                APUS_BINARY_SUB, &loop.loop, a, b, &output,
                apus_activation(kind: APUS_ACTIVATION_NONE, low: 0, high: 0), rows.lowerBound, rows.upperBound)
        }
    }

    @Test("Random walks visit every element once, in whatever pieces they are cut")
    func visitsEveryElement() throws {
        for seed in UInt64(0)..<400 {
            var generator = SplitMix64(seed: seed)
            let walk = Walk(&generator)
            let loop = try #require(
                StridedLoop(shape: walk.shape, a: walk.a, b: walk.b, output: walk.output), "seed \(seed)")
            let positions = (a: walk.positions(walk.a), b: walk.positions(walk.b), output: walk.positions(walk.output))
            func numbers(_ positions: [Int]) -> [Float] {
                (0...(positions.max() ?? 0)).map { _ in Float.random(in: -1...1, using: &generator) }
            }
            let (a, b) = (numbers(positions.a), numbers(positions.b))
            var found = numbers(positions.output)
            var expected = found
            for (index, position) in positions.output.enumerated() {
                expected[position] = a[positions.a[index]] - b[positions.b[index]]
            }
            run(walk, loop, a, b, &found)
            #expect(found == expected, "seed \(seed): \(walk)")
        }
    }

    @Test("Rows begin where the loop says")
    func locatesRows() throws {
        for seed in UInt64(1000)..<1200 {
            var generator = SplitMix64(seed: seed)
            let walk = Walk(&generator)
            let loop = try #require(StridedLoop(shape: walk.shape, a: walk.a, b: nil, output: walk.output))
            var visited: [(a: Int, output: Int)] = []
            for piece in 0..<loop.pieceCount {
                for row in loop.rows(piece) {
                    let start = loop.position(ofRow: row)
                    for index in 0..<loop.innerExtent {
                        visited.append(
                            (start.a + index * loop.innerStrides.a, start.output + index * loop.innerStrides.output))
                    }
                }
            }
            let expected = zip(walk.positions(walk.a), walk.positions(walk.output)).sorted { $0.1 < $1.1 }
            visited.sort { $0.output < $1.output }
            #expect(visited.map(\.output) == expected.map(\.1), "seed \(seed): \(walk)")
            #expect(visited.map(\.a) == expected.map(\.0), "seed \(seed): \(walk)")
        }
    }

    @Test("Nine axes that cannot be merged are refused; dense ones are merged to one")
    func limitsRank() throws {
        let shape = [Int](repeating: 2, count: 9)
        let dense = (0..<9).map { 1 << (8 - $0) }
        let merged = try #require(StridedLoop(shape: shape, a: dense, b: dense, output: dense))
        #expect(merged.loop.rank == 1)
        #expect(StridedLoop(shape: shape, a: Array(dense.reversed()), b: nil, output: dense) == nil)
    }

    @Test("An empty walk has no pieces")
    func isEmpty() throws {
        let loop = try #require(StridedLoop(shape: [3, 0, 2], a: [0, 2, 1], b: nil, output: [0, 2, 1]))
        #expect(loop.pieceCount == 0)
    }
}
