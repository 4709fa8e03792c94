import Images
import Predicting

/// An object found in a picture.
///
///     for object in try await detector.predict(.file("street.jpg")).objects {
///         print(object.identifier, object.confidence, object.box)
///     }
public struct RecognizedObject: Sendable, Hashable {
    /// The name of the class with the most confidence; its index as text when labels are not known.
    public var identifier: String { labels.first?.identifier ?? "" }
    /// The name of that class, when labels are known.
    public var label: String? { labels.first?.label }
    /// The confidence that there is an object, and of this class, from 0 to 1.
    public let confidence: Float
    /// The box around the object, with its origin at the upper left of the upright picture.
    public let box: NormalizedBox
    /// The classes with the most confidence, best first; at least one.
    public let labels: [ClassificationObservation]
    /// The number of the object in all frames of a video; nil unless an ``ObjectTracker`` has given one.
    public var trackID: Int?
    /// The points that the network gives with the object, such as the eyes of a face, in fractions of the upright
    /// picture's width and height; empty for most networks.
    public var points: [SIMD2<Float>] = []
    /// The corners of a turned box, clockwise from the upper left of the box before it is turned, in fractions of the
    /// upright picture's width and height; empty for boxes that are not turned. ``box`` is then the part of the picture
    /// around them.
    public var corners: [SIMD2<Float>] = []

    /// The box before it is cut at the picture's edges; nil where it lies in the picture, and for turned boxes.
    package var wholeBox: NormalizedBox?

    package init(confidence: Float, box: NormalizedBox, labels: [ClassificationObservation], trackID: Int? = nil) {
        self.confidence = confidence
        self.box = box
        self.labels = labels
        self.trackID = trackID
    }
}

/// The objects in one picture, those with the most confidence first.
public struct ObjectDetection: Sendable, Equatable {
    /// The objects.
    public var objects: [RecognizedObject]
    /// The size of the upright picture; nil for records that are arrays of numbers.
    public let imageSize: ImageSize?

    package init(_ objects: [RecognizedObject], imageSize: ImageSize?) {
        self.objects = objects
        self.imageSize = imageSize
    }
}
