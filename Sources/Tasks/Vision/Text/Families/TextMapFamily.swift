import Models

/// What the maps of a network show, by which text is found.
enum TextMaps: String, Sendable {
    /// The middle of lines. Its regions grow by a pixel before they are outlined.
    case lines
    /// The middle of lines. Its regions are outlined as they are.
    case exactLines = "exact lines"
    /// Characters, and the links between those of one word.
    case characters
    /// How likely cells belong to words, and in four more maps and that of angles the rectangles around them.
    case rotatedBoxes = "rotated boxes"

    /// The number of maps of the output that shows where text is.
    var count: Int { self == .characters ? 2 : 1 }

    /// Whether pictures are brought to pages first.
    var areOfPages: Bool { self == .lines || self == .exactLines }
}

/// A family whose maps show where text is.
protocol TextMapFamily: ModelFamily {
    /// What the maps show.
    var maps: TextMaps { get }
}

extension TextMapFamily {
    var task: VisionTask { .text }
}
