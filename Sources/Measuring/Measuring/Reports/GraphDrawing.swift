/// A drawing of a network with a circle for every node, in rows that are read like lines of text.
package struct GraphDrawing {
    /// A node's circle.
    package struct Node {
        package let name: String
        /// The indices of the nodes that it reads from.
        package let sources: [Int]
        /// The area of the circle, from 0 to 1; nil for a node that takes no time.
        package let share: Double?
        /// The CSS classes of the page's style.
        package let style: String
        let tip: String

        package init(name: String, sources: [Int], share: Double?, style: String, tip: String) {
            (self.name, self.sources, self.share) = (name, sources, share)
            (self.style, self.tip) = (style, tip)
        }
    }

    package let label: String
    package let nodes: [Node]
    /// The positions of the nodes; drawings of the same network share it.
    package let layout: LayeredLayout

    package init(label: String, nodes: [Node], layout: LayeredLayout) {
        (self.label, self.nodes, self.layout) = (label, nodes, layout)
    }

    /// The number of largest circles that are labelled with their names.
    private static let namedCount = 4
    private static let width = 1070.0
    private static let step = 38.0
    private static let spacing = 27.0
    /// The margin at each end of a row, for edges from and to other rows.
    private static let margin = 30.0
    private static let ranksPerRow = Int((width - 2 * margin) / step)
    /// The number of additional ranks that the last row may hold, closer together, so that no row is almost empty.
    private static let spareRanks = 4

    /// The first rank of each row. A row ends where the fewest edges cross to later rows.
    private var rowStarts: [Int] {
        var lastReaders = layout.places.map(\.rank)
        for (node, place) in zip(nodes, layout.places) {
            for source in node.sources { lastReaders[source] = max(lastReaders[source], place.rank) }
        }
        var crossings = [Int](repeating: 0, count: layout.rankCount + 1)
        for (place, last) in zip(layout.places, lastReaders) where place.rank < last {
            for rank in place.rank + 1...last { crossings[rank] += 1 }
        }
        var starts = [0]
        while layout.rankCount - (starts.last ?? 0) > Self.ranksPerRow + Self.spareRanks {
            let start = starts.last ?? 0
            let candidates = (start + Self.ranksPerRow / 2)...(start + Self.ranksPerRow)
            // Among equal candidates, the last makes the fewest rows.
            let next = candidates.min { (crossings[$0], -$0) < (crossings[$1], -$1) }
            starts.append(next ?? start + Self.ranksPerRow)
        }
        return starts
    }

    /// The HTML element.
    package var html: String {
        guard !nodes.isEmpty else { return "<p>There is nothing to draw.</p>" }
        let starts = rowStarts
        let rows = starts.enumerated().flatMap { row, start in
            let end = row + 1 < starts.count ? starts[row + 1] : layout.rankCount
            return (start..<end).map { _ in row }
        }
        let longestRow = zip(starts, starts.dropFirst() + [layout.rankCount]).map { $1 - $0 }.max() ?? 1
        let step = min(Self.step, (Self.width - 2 * Self.margin) / Double(max(1, longestRow)))
        // The height of each row above and below its middle.
        var reach = [Double](repeating: 1, count: starts.count)
        for place in layout.places + layout.routes.flatMap({ $0 }) {
            reach[rows[place.rank]] = max(reach[rows[place.rank]], abs(place.offset) + 0.9)
        }
        var middles: [Double] = []
        var bottom = 0.0
        for row in reach {
            middles.append(bottom + row * Self.spacing + 8)
            bottom += 2 * row * Self.spacing + 16
        }
        func point(_ place: LayeredLayout.Place) -> (x: Double, y: Double) {
            let row = rows[place.rank]
            return (
                Self.margin + (Double(place.rank - starts[row]) + 0.5) * step,
                middles[row] + place.offset * Self.spacing
            )
        }
        var svg = SVG(width: Self.width, height: bottom, label: label)
        for route in layout.routes {
            for (a, b) in zip(route, route.dropFirst()) {
                let boundary = middles[rows[a.rank]] + reach[rows[a.rank]] * Self.spacing + 8
                svg.path(
                    Self.edge(point(a), point(b), rowEnd: rows[a.rank] == rows[b.rank] ? nil : boundary), style: "edge")
            }
        }
        for (node, place) in zip(nodes, layout.places) {
            let (x, y) = point(place)
            let radius = node.share.map { 4 + 12 * min(1, max(0, $0)).squareRoot() } ?? 3.5
            svg.circle(x: x, y: y, radius: radius, style: node.style, tip: node.tip)
        }
        // The labels of the largest circles, if there is room.
        var named: [(x: Double, y: Double)] = []
        let largest = nodes.indices.filter { nodes[$0].share != nil }
            .sorted { (nodes[$1].share ?? 0, $0) < (nodes[$0].share ?? 0, $1) }
        for index in largest.prefix(2 * Self.namedCount) where named.count < Self.namedCount {
            let (x, y) = point(layout.places[index])
            if named.contains(where: { abs($0.x - x) < 110 && abs($0.y - y) < 2 * Self.spacing }) { continue }
            let radius = 4 + 12 * min(1, nodes[index].share ?? 0).squareRoot()
            svg.text(
                BarChart.shortened(nodes[index].name, to: 24), x: min(Self.width - 60, max(60, x)),
                y: layout.places[index].offset > 0 ? y + radius + 12 : y - radius - 4,
                anchor: .middle, style: "small halo")
            named.append((x, y))
        }
        return svg.html
    }

    /// - Parameter rowEnd: The y coordinate of the gap below the row, for an edge that leads to a later row.
    private static func edge(
        _ a: (x: Double, y: Double), _ b: (x: Double, y: Double), rowEnd: Double?
    ) -> String {
        func text(_ numbers: Double...) -> String { numbers.map(SVG.number).joined(separator: " ") }
        guard let rowEnd else {
            let middle = (a.x + b.x) / 2
            if a.y == b.y { return "M\(text(a.x, a.y))L\(text(b.x, b.y))" }
            return "M\(text(a.x, a.y))C\(text(middle, a.y, middle, b.y, b.x, b.y))"
        }
        let (right, left) = (width - 8.0, 8.0)
        return "M\(text(a.x, a.y))L\(text(right - 8, a.y))Q\(text(right, a.y, right, a.y + 8))V\(text(rowEnd - 8))"
            + "Q\(text(right, rowEnd, right - 8, rowEnd))H\(text(left + 8))Q\(text(left, rowEnd, left, rowEnd + 8))"
            + "V\(text(b.y - 8))Q\(text(left, b.y, left + 8, b.y))L\(text(b.x, b.y))"
    }
}
