import Images
import Predicting

/// The text in one picture, line by line in reading order.
///
///     let text = try await recognizer.predict(.file("page.png"))
///     print(text.string)
///     for line in text.lines { print(line.text ?? "?", line.confidence, line.box.corners) }
public struct RecognizedText: Sendable, Equatable {
    /// The lines, from top to bottom; those side by side from left to right.
    public let lines: [RecognizedTextLine]
    /// The size of the upright picture; nil for records that are arrays of numbers.
    public let imageSize: ImageSize?
    /// The parts of the page in reading order, to which lines belong; empty where no network looked at the layout.
    public let blocks: [TextBlock]

    package init(_ lines: [RecognizedTextLine], imageSize: ImageSize?, blocks: [TextBlock] = []) {
        (self.lines, self.imageSize, self.blocks) = (lines, imageSize, blocks)
    }

    /// The text. Lines side by side are joined by a space, and others by a line break. Lines that were not read are
    /// left out. An empty line stands between parts of the page.
    public var string: String {
        if blocks.isEmpty { return string(of: lines[...]) }
        return blocks.map { string(of: lines[$0.lines]) }.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func string(of lines: ArraySlice<RecognizedTextLine>) -> String {
        let lines = Array(lines)
        return ReadingOrder.rows(of: lines.map(\.box)).map { row in
            row.compactMap { lines[$0].text }.joined(separator: " ")
        }.filter { !$0.isEmpty }.joined(separator: "\n")
    }
}

/// A line of text in a picture.
public struct RecognizedTextLine: Sendable, Hashable {
    /// The text; nil when it was only found, not read.
    public let text: String?
    /// The confidence in the text, from 0 to 1: the mean of its characters'. Without text, that in the line itself.
    public let confidence: Float
    /// The line's corners, clockwise from the upper left.
    public let box: Quadrilateral
    /// The turn by which the line was read; nil when its direction was not looked at.
    public let direction: TextDirection?
    /// The line's corners on the page in which it was found, which may have another size than the picture.
    package let place: Quadrilateral

    package init(
        text: String?, confidence: Float, box: Quadrilateral, place: Quadrilateral? = nil,
        direction: TextDirection? = nil
    ) {
        (self.text, self.confidence, self.direction) = (text, confidence, direction)
        (self.box, self.place) = (box, place ?? box)
    }
}

/// The direction of a line of text.
public struct TextDirection: Sendable, Hashable {
    /// The angle by which the line stands in its box, in degrees: 0, or 180 for upside down.
    public let degrees: Int
    /// The confidence, from 0 to 1.
    public let confidence: Float

    package init(degrees: Int, confidence: Float) { (self.degrees, self.confidence) = (degrees, confidence) }
}
