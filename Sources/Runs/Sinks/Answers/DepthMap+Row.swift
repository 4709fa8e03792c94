import Images
import Platform
import Vision

extension DepthMap: RowAnswer {
    static let content = ImageAnswer.Content.depth

    var pictureSize: ImageSize? { imageSize }
    var summary: String { "depth \(minimum) to \(maximum)" }

    func jsonMembers(_ row: RowContext) -> String {
        var text = "\(pictureSize.jsonMembers)\"depth\":{\"minimum\":"
        text.appendJSON(minimum)
        text += ",\"maximum\":"
        text.appendJSON(maximum)
        text += ",\"median\":"
        text.appendJSON(median)
        text += ",\"range\":"
        text.appendJSON([range.lowerBound, range.upperBound])
        return text + "}" + row.fileMembers("npy", "png")
    }

    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.ofSize + RowColumn.numbers("minimum", "maximum", "median", "range_minimum", "range_maximum")
            + RowColumn.texts("npy", "png")
    }

    func cells(_ row: RowContext) -> [[RowCell]] {
        let size = [imageSize.width, imageSize.height].map { RowCell.integer($0) }
        let figures = [minimum, maximum, median, range.lowerBound, range.upperBound].map { RowCell.number($0) }
        return [size + figures + [row.fileCell("npy"), row.fileCell("png")]]
    }

    func tableLines(_ row: RowContext) -> [TableLine] {
        [TableLine(text: "depth \(minimum) to \(maximum), median \(median)")]
    }
}
