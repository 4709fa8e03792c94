import Apus
import CApus

/// The items of an answer in C's form. Their texts and arrays live as long as the object.
final class AnswerItems: @unchecked Sendable {
    /// The items; written only while the object is made.
    private(set) var items: [apus_item] = []
    /// The masks, in the order of the items.
    private(set) var masks: [RunLengths?] = []

    private var texts: [CString] = []
    private var pointArrays: [UnsafeMutablePointer<apus_point>] = []
    private var runArrays: [UnsafeMutablePointer<UInt32>] = []

    init(_ answer: ImageAnswer?, _ options: SinkKind.RowOptions) {
        switch answer {
        case .classes(let classes):
            for prediction in options.predictions(classes) { add(label: prediction) }
        case .objects(let detection):
            for object in detection.objects { add(object) }
        case .parts(let parts):
            for part in parts.parts { add(part.object) }
        case .segments(let segmentation):
            for segment in segmentation.segments {
                let label = ClassificationObservation(index: segment.index, label: segment.label, confidence: .nan)
                add(label: label, box: segment.box, mask: segment.runs)
            }
        case .instances(let segmentation):
            for instance in segmentation.instances {
                add(label: instance.label, box: instance.box, mask: instance.runs)
            }
        case .poses(let estimation):
            for pose in estimation.poses {
                add(label: pose.label, confidence: pose.confidence, box: pose.box, points: pose.keypoints)
            }
        case .landmarks(let landmarks):
            add(confidence: landmarks.confidence, points: landmarks.points)
        case .text(let text):
            for line in text.lines {
                let corners = line.box.corners.map { Keypoint(x: Float($0.x), y: Float($0.y)) }
                add(text: line.text, confidence: line.confidence, points: corners)
            }
        case .embedding, .depth, .image, .outputs, nil: break
        }
    }

    deinit {
        for points in pointArrays { points.deallocate() }
        for runs in runArrays { runs.deallocate() }
    }

    private func add(_ object: RecognizedObject) {
        let points = object.corners.isEmpty ? object.points : object.corners
        add(
            label: object.labels.first, confidence: object.confidence, box: object.box, track: object.trackID,
            points: points.map { Keypoint(x: $0.x, y: $0.y) })
    }

    private func add(
        label: ClassificationObservation? = nil, text: String? = nil, confidence: Float? = nil,
        box: NormalizedBox? = nil, track: Int? = nil, points: [Keypoint] = [], mask: RunLengths? = nil
    ) {
        var item = apus_item()
        item.index = Int32(clamping: label?.index ?? -1)
        item.label = (text ?? label?.label).map { copy($0) }
        item.confidence = confidence ?? label?.confidence ?? .nan
        item.box = box.map { ($0.x, $0.y, $0.width, $0.height) } ?? (.nan, .nan, .nan, .nan)
        item.track = Int64(track ?? -1)
        item.area = Int64(mask?.area ?? -1)
        item.point_count = points.count
        item.points = copy(points)
        item.run_count = mask?.counts.count ?? 0
        item.runs = copy(mask?.counts ?? [])
        items.append(item)
        masks.append(mask)
    }

    private func copy(_ text: String) -> UnsafePointer<CChar> {
        let copy = CString(text)
        texts.append(copy)
        return copy.start
    }

    private func copy(_ points: [Keypoint]) -> UnsafePointer<apus_point>? {
        guard !points.isEmpty else { return nil }
        let copies = UnsafeMutablePointer<apus_point>.allocate(capacity: points.count)
        pointArrays.append(copies)
        for (index, point) in points.enumerated() {
            let name = point.name.map { copy($0) }
            let (z, confidence) = (point.z ?? .nan, point.confidence ?? .nan)
            (copies + index).initialize(
                to: apus_point(name: name, x: point.x, y: point.y, z: z, confidence: confidence))
        }
        return UnsafePointer(copies)
    }

    private func copy(_ counts: [Int]) -> UnsafePointer<UInt32>? {
        guard !counts.isEmpty else { return nil }
        let copies = UnsafeMutablePointer<UInt32>.allocate(capacity: counts.count)
        runArrays.append(copies)
        for (index, count) in counts.enumerated() { (copies + index).initialize(to: UInt32(clamping: count)) }
        return UnsafePointer(copies)
    }
}
