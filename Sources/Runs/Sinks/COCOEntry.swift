import Images
import Vision

/// An entry of results in COCO's form.
///
/// Source: https://cocodataset.org/#format-results
struct COCOEntry {
    let classIndex: Int
    let score: Float
    var box: NormalizedBox?
    var mask: RunLengths?
    var keypoints: [Keypoint]?
    /// The corners of a turned box, in pixels.
    var corners: [Float]?

    /// The entries of an answer.
    static func entries(of answer: ImageAnswer) -> [COCOEntry] {
        switch answer {
        case .objects(let detection):
            detection.objects.map {
                COCOEntry(
                    classIndex: $0.labels.first?.index ?? 0, score: $0.confidence, box: $0.box,
                    corners: detection.imageSize.flatMap($0.cornerPixels))
            }
        case .segments(let segmentation):
            segmentation.segments.map {
                COCOEntry(classIndex: $0.index, score: 1, box: $0.box, mask: $0.runs)
            }
        case .instances(let segmentation):
            segmentation.instances.map {
                COCOEntry(classIndex: $0.label.index, score: $0.confidence, box: $0.box, mask: $0.runs)
            }
        case .poses(let estimation):
            estimation.poses.map {
                COCOEntry(
                    classIndex: $0.label?.index ?? 0, score: $0.confidence, box: $0.box, keypoints: $0.keypoints)
            }
        default: []
        }
    }
}

extension ImageAnswer {
    /// The size of the picture to which places in pixels refer; nil where it has none.
    var imageSize: ImageSize? {
        switch self {
        case .objects(let detection): detection.imageSize
        case .segments(let segmentation): segmentation.imageSize
        case .instances(let segmentation): segmentation.imageSize
        case .poses(let estimation): estimation.imageSize
        default: nil
        }
    }
}

extension String {
    /// Appends what an entry has beside the picture and the category, in pixels.
    mutating func append(_ entry: COCOEntry, in size: ImageSize) {
        if let box = entry.box?.pixels(in: size) {
            append(",\"bbox\":")
            appendJSON([box.x, box.y, box.width, box.height])
        }
        if let mask = entry.mask {
            append(",")
            appendMask(mask, .rle)
        }
        if let corners = entry.corners {
            append(",\"segmentation\":[")
            appendJSON(corners)
            append("]")
        }
        if let keypoints = entry.keypoints {
            append(",\"keypoints\":")
            let (width, height) = (Float(size.width), Float(size.height))
            appendJSON(keypoints.flatMap { [$0.x * width, $0.y * height, $0.confidence ?? 1] })
        }
        append(",\"score\":")
        appendJSON(entry.score)
    }
}
