import Images
import Platform
import Vision

extension GeneratedImage: RowAnswer {
    static let content = ImageAnswer.Content.image

    var summary: String { "a picture of \(size)" }

    func jsonMembers(_ row: RowContext) -> String {
        "\"image\":{\"width\":\(size.width),\"height\":\(size.height),\"channels\":\(channelCount)}"
            + row.fileMembers("file")
    }

    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.integers("width", "height", "channels") + RowColumn.texts("file")
    }

    func cells(_ row: RowContext) -> [[RowCell]] {
        [[size.width, size.height, channelCount].map { RowCell.integer($0) } + [row.fileCell("file")]]
    }

    func tableLines(_ row: RowContext) -> [TableLine] {
        [TableLine(text: summary + (row.files["file"].map { "  " + $0.printable } ?? ""))]
    }
}
