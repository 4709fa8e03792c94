import Images
import Platform
import Vision

extension Segmentation: RowAnswer {
    static let content = ImageAnswer.Content.segments

    var pictureSize: ImageSize? { imageSize }

    var cocoEntries: [COCOEntry] {
        segments.map { COCOEntry(classIndex: $0.index, className: $0.label, score: 1, box: $0.box, mask: $0.runs) }
    }

    func jsonMembers(_ row: RowContext) -> String {
        let segments = segments.map { $0.jsonText(row.options.maskForm) }.joined(separator: ",")
        return "\(pictureSize.jsonMembers)\"segments\":[\(segments)]" + row.fileMembers("mask", "cutout")
    }

    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.texts("mask") + RowColumn.integers("index") + RowColumn.texts("label") + RowColumn.integers("area")
            + RowColumn.ofBox
    }

    func cells(_ row: RowContext) -> [[RowCell]] {
        segments.map { segment in
            [row.fileCell("mask"), .integer(segment.index), .text(segment.label), .integer(segment.area)]
                + segment.box.numbers.map { RowCell.number($0) }
        }
    }

    func cellsOfNothing(_ row: RowContext) -> [RowCell] { [row.fileCell("mask")] }

    /// A line for each class, with its share of the picture.
    func tableLines(_ row: RowContext) -> [TableLine] {
        guard !segments.isEmpty else { return [.nothing("nothing found")] }
        let count = imageSize.width * imageSize.height
        return segments.map { segment in
            TableLine(
                label: (segment.label ?? "class \(segment.index)").printable,
                text: TableLine.percentage(Float(segment.area) / Float(max(1, count))))
        }
    }
}

extension Segment {
    /// The segment as JSON; `segmentation` is its mask as COCO writes it, with the height before the width.
    fileprivate func jsonText(_ form: MaskForm) -> String {
        var text = "{\"index\":\(index),\"label\":"
        text.appendJSON(label)
        text += ",\"area\":\(area),\"box\":"
        text.appendJSON(box.numbers)
        text += ","
        text.appendMask(runs, form)
        return text + "}"
    }
}
