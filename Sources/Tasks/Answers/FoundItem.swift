/// One thing that an answer names: a class, an object, a segment, a person, a face or a line of text.
package struct FoundItem: Sendable {
    /// What it is called where it has neither a class nor text.
    fileprivate var noun = "object"
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

    /// The text, or the name of the class; its index as text when labels are not known.
    package var name: String { text ?? label?.identifier ?? noun }
}

extension ImageAnswer {
    /// What the answer names, in its order; empty for vectors, depth, pictures and arrays.
    ///
    /// - Parameter classes: The classes of a classification that count.
    package func items(_ classes: (Classification) -> [ClassificationObservation]) -> [FoundItem] {
        switch self {
        case .classes(let classification):
            classes(classification).map { FoundItem(label: $0, confidence: $0.confidence) }
        case .objects(let detection): detection.objects.map { FoundItem($0) }
        case .parts(let parts): parts.parts.map { FoundItem($0.object) }
        case .segments(let segmentation):
            segmentation.segments.map { segment in
                let label = ClassificationObservation(index: segment.index, label: segment.label, confidence: .nan)
                return FoundItem(label: label, box: segment.box, mask: segment.runs)
            }
        case .instances(let segmentation):
            segmentation.instances.map {
                FoundItem(label: $0.label, confidence: $0.confidence, box: $0.box, mask: $0.runs)
            }
        case .poses(let estimation):
            estimation.poses.map {
                FoundItem(
                    noun: "pose", label: $0.label, confidence: $0.confidence, box: $0.box, points: $0.keypoints)
            }
        case .landmarks(let landmarks):
            [FoundItem(noun: "points", confidence: landmarks.confidence, points: landmarks.points)]
        case .text(let text):
            text.lines.map { line in
                let corners = line.box.corners.map { Keypoint(x: Float($0.x), y: Float($0.y)) }
                let box = text.imageSize.map { line.box.box(in: $0) }
                return FoundItem(
                    noun: "line", text: line.text, confidence: line.confidence, box: box, points: corners)
            }
        case .embedding, .depth, .image, .outputs: []
        }
    }
}

extension FoundItem {
    fileprivate init(_ object: RecognizedObject) {
        let points = object.corners.isEmpty ? object.points : object.corners
        self.init(
            label: object.labels.first, confidence: object.confidence, box: object.box, trackID: object.trackID,
            points: points.map { Keypoint(x: $0.x, y: $0.y) })
    }

    /// The box, or the smallest one around points that are fractions of the picture.
    package var extent: NormalizedBox? {
        if let box { return box }
        let places = points.map { SIMD2($0.x, $0.y) }.filter { $0.x.isFinite && $0.y.isFinite }
        return places.isEmpty ? nil : NormalizedBox(around: places)
    }
}
