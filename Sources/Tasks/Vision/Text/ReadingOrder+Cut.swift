import Images
import Predicting

extension ReadingOrder {
    /// A rectangle: left, top, right, bottom.
    package typealias Edges = (left: Double, top: Double, right: Double, bottom: Double)

    /// The indices of boxes in the order in which people read a page of columns, by a recursive X-Y cut: where an empty
    /// stripe across the page parts boxes, those above it come first, and else, where one runs down the page, those
    /// left of it. Boxes that nothing parts come from top to bottom.
    ///
    /// Source: G. Nagy and S. Seth, "Hierarchical representation of optically scanned documents", ICPR 1984
    package static func cut(_ boxes: [Edges]) -> [Int] { cut(Array(boxes.indices), boxes, depth: 0) }

    /// Deeper cuts than those of any page.
    private static let maximumDepth = 64

    private static func cut(_ members: [Int], _ boxes: [Edges], depth: Int) -> [Int] {
        guard members.count > 1 else { return members }
        if depth < maximumDepth {
            let rows = parted(members) { (boxes[$0].top, boxes[$0].bottom) }
            let groups = rows.count > 1 ? rows : parted(members) { (boxes[$0].left, boxes[$0].right) }
            if groups.count > 1 { return groups.flatMap { cut($0, boxes, depth: depth + 1) } }
        }
        return members.sorted { (boxes[$0].top, boxes[$0].left, $0) < (boxes[$1].top, boxes[$1].left, $1) }
    }

    /// The groups between which no span lies, in their order. Spans that share less than a tenth of the shorter one
    /// count as apart.
    private static func parted(_ members: [Int], _ span: (Int) -> (Double, Double)) -> [[Int]] {
        let sorted = members.sorted { (span($0).0, $0) < (span($1).0, $1) }
        var groups: [[Int]] = []
        var end = -Double.infinity
        var shortest = Double.infinity
        for member in sorted {
            let (start, last) = span(member)
            let tolerance = 0.1 * min(last - start, shortest)
            if groups.isEmpty || start >= end - tolerance {
                groups.append([])
                (end, shortest) = (last, last - start)
            }
            groups[groups.count - 1].append(member)
            end = max(end, last)
            shortest = min(shortest, last - start)
        }
        return groups
    }
}
