import Graphs
import Planning
import Testing

@Suite("Memory by lifetime")
struct ArenaLayoutTests {
    private func randomBlocks(_ generator: inout SplitMix64) -> [ArenaLayout.Block] {
        let operations = Int.random(in: 1...400, using: &generator)
        return (0..<Int.random(in: 0...120, using: &generator)).map { _ in
            let first = Int.random(in: 0..<operations, using: &generator)
            // Most lifetimes are short, some span many buckets.
            let length = Int.random(in: 0...9, using: &generator) == 0 ? 400 : 5
            let last = min(operations - 1, first + Int.random(in: 0...length, using: &generator))
            return ArenaLayout.Block(byteCount: Int.random(in: 0...5000, using: &generator), first: first, last: last)
        }
    }

    private func rounded(_ byteCount: Int) -> Int { (byteCount + 63) / 64 * 64 }

    @Test("Blocks that live together never overlap, and lie inside the arena")
    func neverOverlaps() {
        for seed in UInt64(0)..<300 {
            var generator = SplitMix64(seed: seed)
            let blocks = randomBlocks(&generator)
            let layout = ArenaLayout(blocks)
            #expect(layout.offsets.count == blocks.count, "seed \(seed)")
            for (index, block) in blocks.enumerated() {
                let range = layout.offsets[index]..<(layout.offsets[index] + block.byteCount)
                #expect(range.lowerBound % 64 == 0 && range.lowerBound >= 0, "seed \(seed)")
                #expect(range.upperBound <= layout.byteCount, "seed \(seed)")
                for other in 0..<index where blocks[other].first <= block.last && block.first <= blocks[other].last {
                    let taken = layout.offsets[other]..<(layout.offsets[other] + blocks[other].byteCount)
                    #expect(!range.overlaps(taken), "seed \(seed): blocks \(other) and \(index)")
                }
            }
        }
    }

    @Test("The arena is at least what lives at once, and at most a little more")
    func isSmall() {
        var total = (needed: 0, taken: 0)
        for seed in UInt64(0)..<300 {
            var generator = SplitMix64(seed: seed)
            let blocks = randomBlocks(&generator)
            let layout = ArenaLayout(blocks)
            let needed =
                (0..<400).map { time in
                    blocks.filter { $0.first <= time && time <= $0.last }.reduce(0) { $0 + rounded($1.byteCount) }
                }.max() ?? 0
            #expect(layout.byteCount >= needed, "seed \(seed)")
            total.needed += needed
            total.taken += layout.byteCount
        }
        #expect(Double(total.taken) < 1.1 * Double(total.needed))
    }

    @Test("A chain of 100,000 blocks takes the memory of two")
    func laysOutLongChains() {
        let blocks = (0..<100_000).map { ArenaLayout.Block(byteCount: 1000, first: $0, last: $0 + 1) }
        #expect(ArenaLayout(blocks).byteCount == 2 * 1024)
    }

    /// The offsets by trying every block that lives at the same time.
    private func offsets(_ blocks: [ArenaLayout.Block]) -> [Int] {
        var offsets = [Int](repeating: 0, count: blocks.count)
        var placed: [Int] = []
        let order = blocks.indices.sorted {
            (rounded(blocks[$0].byteCount), blocks[$1].first) > (rounded(blocks[$1].byteCount), blocks[$0].first)
        }
        for index in order {
            let (block, size) = (blocks[index], rounded(blocks[index].byteCount))
            let others = placed.filter { blocks[$0].first <= block.last && block.first <= blocks[$0].last }
            let candidates = [0] + others.map { offsets[$0] + rounded(blocks[$0].byteCount) }
            offsets[index] =
                candidates.sorted().first { offset in
                    others.allSatisfy { other in
                        offset + size <= offsets[other] || offsets[other] + rounded(blocks[other].byteCount) <= offset
                    }
                } ?? 0
            placed.append(index)
        }
        return offsets
    }

    @Test("Each block lies at the lowest offset that is free")
    func isFirstFit() {
        for seed in UInt64(0)..<300 {
            var generator = SplitMix64(seed: seed)
            let blocks = randomBlocks(&generator)
            #expect(ArenaLayout(blocks).offsets == offsets(blocks), "seed \(seed)")
        }
    }

    @Test("20,000 blocks that live to the end lie side by side")
    func laysOutLongLives() {
        let blocks = (0..<20_000).map { ArenaLayout.Block(byteCount: 1000, first: $0, last: 40_000 - $0) }
        #expect(ArenaLayout(blocks).byteCount == 20_000 * 1024)
    }

    @Test("No blocks take no memory")
    func isEmpty() {
        #expect(ArenaLayout([]).byteCount == 0)
    }
}
