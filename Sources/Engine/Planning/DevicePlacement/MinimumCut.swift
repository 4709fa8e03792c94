/// Assigns the vertices of a directed graph to two sides at minimum cost, by maximum flow.
///
/// Dinic's algorithm: https://en.wikipedia.org/wiki/Dinic%27s_algorithm
struct MinimumCut {
    /// More than any sum of costs.
    static let forbidden = Int.max / 4

    static let source = 0
    static let sink = 1

    private struct Edge {
        let target: Int
        var capacity: Int
    }

    /// The edges; each is adjacent to its reverse edge.
    private var edges: [Edge] = []
    private var outgoing: [[Int]] = [[], []]

    /// Adds a vertex and returns its number. Vertex 0 is the source, vertex 1 the sink.
    mutating func addVertex() -> Int {
        outgoing.append([])
        return outgoing.count - 1
    }

    /// Adds a cost that is paid when `first` is on the source's side and `second` on the sink's.
    mutating func addCost(_ cost: Int, first: Int, second: Int) {
        guard cost > 0 else { return }
        outgoing[first].append(edges.count)
        edges.append(Edge(target: second, capacity: cost))
        outgoing[second].append(edges.count)
        edges.append(Edge(target: first, capacity: 0))
    }

    /// For each vertex, whether it is on the source's side. Among several cheapest cuts, the one with the fewest
    /// vertices there.
    mutating func sourceSide() -> [Bool] {
        while true {
            let levels = levels()
            guard levels[Self.sink] >= 0 else { return levels.map { $0 >= 0 } }
            var next = [Int](repeating: 0, count: outgoing.count)
            while push(levels, &next) {}
        }
    }

    /// The distance of each vertex from the source along edges with capacity left; -1 where the vertex is unreachable.
    private func levels() -> [Int] {
        var levels = [Int](repeating: -1, count: outgoing.count)
        levels[Self.source] = 0
        var queue = [Self.source]
        var position = 0
        while position < queue.count {
            let vertex = queue[position]
            position += 1
            for index in outgoing[vertex] where edges[index].capacity > 0 && levels[edges[index].target] < 0 {
                levels[edges[index].target] = levels[vertex] + 1
                queue.append(edges[index].target)
            }
        }
        return levels
    }

    /// Sends flow along one path from the source to the sink.
    ///
    /// - Parameter next: For each vertex, the first outgoing edge that may still lead on.
    /// - Returns: false when no path is left.
    private mutating func push(_ levels: [Int], _ next: inout [Int]) -> Bool {
        var path: [Int] = []
        var vertex = Self.source
        while vertex != Self.sink {
            if next[vertex] < outgoing[vertex].count {
                let index = outgoing[vertex][next[vertex]]
                let edge = edges[index]
                if edge.capacity > 0, levels[edge.target] == levels[vertex] + 1 {
                    path.append(index)
                    vertex = edge.target
                } else {
                    next[vertex] += 1
                }
            } else {
                guard let last = path.popLast() else { return false }
                vertex = edges[last ^ 1].target
                next[vertex] += 1
            }
        }
        let flow = path.map { edges[$0].capacity }.min() ?? 0
        for index in path {
            edges[index].capacity -= flow
            edges[index ^ 1].capacity = min(edges[index ^ 1].capacity + flow, Self.forbidden)
        }
        return true
    }
}
