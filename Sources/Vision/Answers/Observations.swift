import Images

/// A class that a picture, or a part of it, was found to belong to.
public struct ClassificationObservation: Sendable, Hashable {
    /// The class's position in the network's output.
    public let index: Int
    /// The class's name; its position as text where labels are not known.
    public var identifier: String { label ?? String(index) }
    /// The class's name, when labels are known.
    public let label: String?
    /// From 0 to 1.
    public let confidence: Float

    package init(index: Int, label: String?, confidence: Float) {
        self.index = index
        self.label = label
        self.confidence = confidence
    }
}

/// A thing found in a picture.
///
///     for object in try await detector.predict(.file("street.jpg")).objects {
///         print(object.identifier, object.confidence, object.box)
///     }
public struct RecognizedObject: Sendable, Hashable {
    /// The class with the most confidence; its position as text where labels are not known.
    public var identifier: String { labels.first?.identifier ?? "" }
    /// The name of that class, when labels are known.
    public var label: String? { labels.first?.label }
    /// From 0 to 1: that there is such a thing, and of this class.
    public let confidence: Float
    /// Where it is, from the upper left of the upright picture.
    public let box: NormalizedBox
    /// The classes with the most confidence, most first; at least one.
    public let labels: [ClassificationObservation]
    /// The same for the same thing in the frames of a video; nil unless an ``ObjectTracker`` is sure of it.
    public var trackID: Int?

    package init(confidence: Float, box: NormalizedBox, labels: [ClassificationObservation], trackID: Int? = nil) {
        self.confidence = confidence
        self.box = box
        self.labels = labels
        self.trackID = trackID
    }
}

/// The things in one picture, those with the most confidence first.
public struct ObjectDetection: Sendable, Equatable {
    /// The things.
    public var objects: [RecognizedObject]
    /// The size of the upright picture; nil for records that are arrays of numbers.
    public let imageSize: ImageSize?

    package init(_ objects: [RecognizedObject], imageSize: ImageSize?) {
        self.objects = objects
        self.imageSize = imageSize
    }
}
