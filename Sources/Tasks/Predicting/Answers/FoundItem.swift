/// One thing that an answer names: a class, an object, a segment, a person, a face or a line of text.
package struct FoundItem: Sendable {
    /// What it is called where it has neither a class nor text.
    package var noun = "object"
    /// The class; nil where the network gives none.
    package var label: ClassificationObservation?
    /// What is written on a line of text.
    package var text: String?
    /// The confidence, from 0 to 1; nil where the network gives none.
    package var confidence: Float?
    /// The box, with its origin at the upper left of the upright picture.
    package var box: NormalizedBox?
    /// The track of an object in a video.
    package var trackID: Int?
    /// Named points, the points of a face, or the corners of a turned box, in fractions of the picture; the corners of
    /// a line of text, in pixels.
    package var points: [Keypoint] = []
    /// The pixels.
    package var mask: RunLengths?

    package init(
        noun: String = "object", label: ClassificationObservation? = nil, text: String? = nil, confidence: Float? = nil,
        box: NormalizedBox? = nil, trackID: Int? = nil, points: [Keypoint] = [], mask: RunLengths? = nil
    ) {
        (self.noun, self.label, self.text, self.confidence) = (noun, label, text, confidence)
        (self.box, self.trackID, self.points, self.mask) = (box, trackID, points, mask)
    }

    /// The text, or the name of the class; its index as text when labels are not known.
    package var name: String { text ?? label?.identifier ?? noun }
}

extension FoundItem {
    /// The box, or the smallest one around points that are fractions of the picture.
    package var extent: NormalizedBox? {
        if let box { return box }
        let places = points.map { SIMD2($0.x, $0.y) }.filter { $0.x.isFinite && $0.y.isFinite }
        return places.isEmpty ? nil : NormalizedBox(around: places)
    }
}

/// A class of a picture or of an object in it.
public struct ClassificationObservation: Sendable, Hashable {
    /// The class's position in the network's output.
    public let index: Int
    /// The class's name; its index as text when labels are not known.
    public var identifier: String { label ?? String(index) }
    /// The class's name, when labels are known.
    public let label: String?
    /// The confidence in the class, from 0 to 1.
    public let confidence: Float

    package init(index: Int, label: String?, confidence: Float) {
        self.index = index
        self.label = label
        self.confidence = confidence
    }
}
