/// Places the nodes of a network so that every edge leads to a later rank, with few crossings.
///
/// The rank of a node is the length of the longest path to it. An edge over several ranks passes through a slot in
/// each. Slots are ordered by the mean position of their neighbours, alternating forwards and backwards. Source:
/// Sugiyama, Tagawa, Toda, Methods for Visual Understanding of Hierarchical System Structures,
/// https://doi.org/10.1109/TSMC.1981.4308636
package struct LayeredLayout {
    /// A place in the layout: its rank, and its position across the rank, with 0 in the middle.
    package struct Place: Equatable {
        package var rank: Int
        package var offset: Double
    }

    /// The place of every node.
    package let places: [Place]
    /// For every edge, in the order of nodes and their sources, the places on its route, including both ends.
    package let routes: [[Place]]
    /// The number of ranks.
    package let rankCount: Int
    /// The maximum number of slots in a rank.
    let largestRank: Int

    /// The maximum length of an edge with slots. Longer edges are straight, which keeps the layout of dense networks
    /// fast.
    private static let maximumRouteLength = 64
    private static let sweepCount = 8

    /// - Parameter sources: For every node, the indices of the earlier nodes that it reads from.
    package init(sources: [[Int]]) {
        var ranks = [Int](repeating: 0, count: sources.count)
        for (node, before) in sources.enumerated() { ranks[node] = (before.map { ranks[$0] + 1 }.max() ?? 0) }
        // A node without sources is placed directly before the first node that reads it.
        var firstReader = [Int](repeating: .max, count: sources.count)
        for (node, before) in sources.enumerated() {
            for source in before { firstReader[source] = min(firstReader[source], ranks[node]) }
        }
        for node in sources.indices where sources[node].isEmpty && firstReader[node] < .max {
            ranks[node] = max(0, firstReader[node] - 1)
        }
        rankCount = (ranks.max() ?? -1) + 1

        // The slots are the nodes, then one for each rank that an edge passes.
        var slotRanks = ranks
        var slotsByRank = [[Int]](repeating: [], count: rankCount)
        for (node, rank) in ranks.enumerated() { slotsByRank[rank].append(node) }
        var neighbours = [(before: [Int], after: [Int])](repeating: ([], []), count: sources.count)
        var chains: [[Int]] = []
        for (node, before) in sources.enumerated() {
            for source in before {
                var chain = [source]
                let length = ranks[node] - ranks[source]
                if length > 1, length <= Self.maximumRouteLength {
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

    /// Orders the slots of each rank and gives their positions across it.
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
