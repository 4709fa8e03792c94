import Images
import Predicting

/// The order in which people read lines of text.
package enum ReadingOrder {
    /// The boxes from top to bottom; neighbours whose upper edges are less than 10 pixels apart from left to right.
    ///
    /// Source: `sorted_boxes` of https://github.com/RapidAI/RapidOCR
    package static func sorted<Element>(_ elements: [Element], _ box: (Element) -> Quadrilateral) -> [Element] {
        var result = elements.sorted { first, second in
            let (a, b) = (box(first).topLeft, box(second).topLeft)
            return (a.y, a.x) < (b.y, b.x)
        }
        for end in result.indices.dropFirst() {
            var index = end
            while index > 0 {
                let (above, below) = (box(result[index - 1]).topLeft, box(result[index]).topLeft)
                guard abs(below.y - above.y) < 10, below.x < above.x else { break }
                result.swapAt(index - 1, index)
                index -= 1
            }
        }
        return result
    }

    /// The indices of boxes in reading order, those side by side in one row: the middle of each lies within the height
    /// of the first.
    package static func rows(of boxes: [Quadrilateral]) -> [[Int]] {
        var rows: [(edges: (top: Double, bottom: Double), members: [Int])] = []
        for (index, box) in boxes.enumerated() {
            let edges = box.edges
            let middle = (edges.top + edges.bottom) / 2
            if let row = rows.last, row.edges.top < middle, middle < row.edges.bottom {
                rows[rows.count - 1].members.append(index)
            } else {
                rows.append(((edges.top, edges.bottom), [index]))
            }
        }
        return rows.map { row in row.members.sorted { boxes[$0].edges.left < boxes[$1].edges.left } }
    }
}
