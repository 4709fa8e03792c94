/// Places the nodes of a network so that every edge leads to a later rank, with few crossings.
///
/// Ranks are lengths of longest paths. Edges over several ranks pass through a slot in each. Slots are ordered by the mean
/// position of their neighbours, forwards and backwards in turn.
/// Source: Sugiyama, Tagawa, Toda, Methods for Visual Understanding of Hierarchical System Structures,
/// https://doi.org/10.1109/TSMC.1981.4308636
package struct LayeredLayout {
    /// A place: its rank, and its position across, 0 being the middle.
    package struct Place: Equatable {
        package var rank: Int
        package var offset: Double
    }

    /// The place of every node.
    package let places: [Place]
    /// For every edge, in the order of nodes and of their sources, the places that it passes through, ends included.
    package let routes: [[Place]]
    /// How many ranks there are.
    package let rankCount: Int
    /// The most slots of a rank.
    let largestRank: Int

    /// Edges longer than this go straight, so that dense networks stay cheap to place.
    private static let longestRoute = 64
    private static let sweepCount = 8

    /// - Parameter sources: For every node the positions of those before it that it reads from.
    package init(sources: [[Int]]) {
        var ranks = [Int](repeating: 0, count: sources.count)
        for (node, before) in sources.enumerated() { ranks[node] = (before.map { ranks[$0] + 1 }.max() ?? 0) }
        // A node without sources stands right before the first that reads it.
        var firstReader = [Int](repeating: .max, count: sources.count)
        for (node, before) in sources.enumerated() {
            for source in before { firstReader[source] = min(firstReader[source], ranks[node]) }
        }
        for node in sources.indices where sources[node].isEmpty && firstReader[node] < .max {
            ranks[node] = max(0, firstReader[node] - 1)
        }
        rankCount = (ranks.max() ?? -1) + 1

        // Slots: the nodes first, then one for each rank that an edge passes.
        var slotRanks = ranks
        var slotsByRank = [[Int]](repeating: [], count: rankCount)
        for (node, rank) in ranks.enumerated() { slotsByRank[rank].append(node) }
        var neighbours = [(before: [Int], after: [Int])](repeating: ([], []), count: sources.count)
        var chains: [[Int]] = []
        for (node, before) in sources.enumerated() {
            for source in before {
                var chain = [source]
                let length = ranks[node] - ranks[source]
                if length > 1, length <= Self.longestRoute {
                    for rank in ranks[source] + 1..<ranks[node] {
                        slotsByRank[rank].append(slotRanks.count)
                        chain.append(slotRanks.count)
                        slotRanks.append(rank)
                        neighbours.append(([], []))
                    }
                }
                chain.append(node)
                for (a, b) in zip(chain, chain.dropFirst()) {
                    neighbours[a].after.append(b)
                    neighbours[b].before.append(a)
                }
                chains.append(chain)
            }
        }
        let offsets = Self.order(&slotsByRank, neighbours, slotCount: slotRanks.count)
        largestRank = slotsByRank.map(\.count).max() ?? 0
        let all = slotRanks.indices.map { Place(rank: slotRanks[$0], offset: offsets[$0]) }
        places = Array(all[..<sources.count])
        routes = chains.map { $0.map { all[$0] } }
    }

    /// Orders the slots of each rank, and says where they lie across.
    private static func order(
        _ ranks: inout [[Int]], _ neighbours: [(before: [Int], after: [Int])], slotCount: Int
    ) -> [Double] {
        var offsets = [Double](repeating: 0, count: slotCount)
        func spread(_ slots: [Int]) {
            for (position, slot) in slots.enumerated() {
                offsets[slot] = Double(position) - Double(slots.count - 1) / 2
            }
        }
        ranks.forEach(spread)
        for sweep in 0..<sweepCount {
            let isForward = sweep.isMultiple(of: 2)
            for rank in isForward ? Array(ranks.indices) : ranks.indices.reversed() {
                func center(_ slot: Int) -> Double {
                    let others = isForward ? neighbours[slot].before : neighbours[slot].after
                    if others.isEmpty { return offsets[slot] }
                    return others.reduce(0) { $0 + offsets[$1] } / Double(others.count)
                }
                let centers = ranks[rank].map { (center($0), offsets[$0], $0) }
                ranks[rank] = centers.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
                spread(ranks[rank])
            }
        }
        return offsets
    }
}
