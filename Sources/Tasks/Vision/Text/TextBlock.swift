import Images
import Predicting

/// A part of a page, such as a paragraph, a title or a table, and its lines of text.
public struct TextBlock: Sendable, Hashable {
    /// What the part is, as the network for layouts names it; nil for lines that lie in no part.
    public let label: String?
    /// The part of the page, in fractions of the upright picture.
    public let box: NormalizedBox
    /// The positions of its lines in ``RecognizedText/lines``.
    public let lines: Range<Int>
}

extension RecognizedText {
    /// The text with its lines in the parts of a layout, in reading order.
    ///
    /// A line belongs to the part in which its middle lies, of several to the smallest. Lines in no part are parts of
    /// their own, without a label. Parts without lines are left out.
    package func arranged(by layout: ObjectDetection) -> RecognizedText {
        guard let size = imageSize else { return self }
        let (width, height) = (Double(size.width), Double(size.height))
        var areas: [(label: String?, edges: ReadingOrder.Edges, lines: [Int])] = layout.objects.map { object in
            let box = object.box
            return (
                object.identifier,
                (
                    Double(box.x) * width, Double(box.y) * height, Double(box.maxX) * width, Double(box.maxY) * height
                ), []
            )
        }
        let count = areas.count
        for (index, line) in lines.enumerated() {
            let edges = line.box.edges
            let (x, y) = ((edges.left + edges.right) / 2, (edges.top + edges.bottom) / 2)
            let around = areas[..<count].indices.filter { area in
                let place = areas[area].edges
                return place.left <= x && x <= place.right && place.top <= y && y <= place.bottom
            }
            func area(_ index: Int) -> Double {
                let place = areas[index].edges
                return (place.right - place.left) * (place.bottom - place.top)
            }
            if let smallest = around.min(by: { (area($0), $0) < (area($1), $1) }) {
                areas[smallest].lines.append(index)
            } else {
                areas.append((nil, edges, [index]))
            }
        }
        areas.removeAll { $0.lines.isEmpty }
        var (ordered, blocks): ([RecognizedTextLine], [TextBlock]) = ([], [])
        for index in ReadingOrder.cut(areas.map(\.edges)) {
            let (label, edges, members) = areas[index]
            let start = ordered.count
            ordered += members.map { lines[$0] }
            let box = NormalizedBox(
                x: Float(edges.left / width), y: Float(edges.top / height),
                width: Float((edges.right - edges.left) / width), height: Float((edges.bottom - edges.top) / height))
            blocks.append(TextBlock(label: label, box: box, lines: start..<ordered.count))
        }
        return RecognizedText(ordered, imageSize: imageSize, blocks: blocks)
    }
}
