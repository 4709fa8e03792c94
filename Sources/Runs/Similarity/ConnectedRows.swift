/// Groups of rows that pairs connect.
struct ConnectedRows {
    /// For each row, a row of the same group with a lower or equal position.
    private var parents: [Int]
    /// The number of groups, with those of one row.
    private(set) var groupCount: Int

    init(count: Int) {
        parents = Array(0..<count)
        groupCount = count
    }

    /// Joins the groups of two rows.
    mutating func connect(_ first: Int, _ second: Int) {
        let (a, b) = (root(of: first), root(of: second))
        guard a != b else { return }
        // The lowest position stands for a group, whatever the order of the pairs.
        parents[max(a, b)] = min(a, b)
        groupCount -= 1
    }

    /// Whether both rows are of one group.
    mutating func areConnected(_ first: Int, _ second: Int) -> Bool { root(of: first) == root(of: second) }

    private mutating func root(of row: Int) -> Int {
        var row = row
        while parents[row] != row {
            parents[row] = parents[parents[row]]
            row = parents[row]
        }
        return row
    }

    /// The groups of at least two rows, each with rising positions, in the order of their first rows.
    var groups: [[Int]] {
        var copy = self
        var members: [Int: [Int]] = [:]
        for row in parents.indices where copy.root(of: row) != row {
            members[copy.root(of: row), default: []].append(row)
        }
        return members.keys.sorted().map { [$0] + (members[$0] ?? []) }
    }
}
