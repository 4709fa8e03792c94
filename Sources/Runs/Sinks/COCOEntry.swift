import Images
import Vision

/// An entry of results in COCO's form.
///
/// Source: https://cocodataset.org/#format-results
struct COCOEntry {
    let classIndex: Int
    /// The name of the class, when known.
    var className: String?
    let score: Float
    var box: NormalizedBox?
    var mask: RunLengths?
    var keypoints: [Keypoint]?
    /// The corners of a turned box, in pixels.
    var corners: [Float]?
}

extension COCOEntry {
    /// - Parameter size: The size of the picture, in which the corners of a turned box lie.
    init(_ object: RecognizedObject, in size: ImageSize?) {
        self.init(
            classIndex: object.labels.first?.index ?? 0, className: object.label, score: object.confidence,
            box: object.box, corners: size.flatMap(object.cornerPixels))
    }

    /// The number of the category. The only class of things with points is COCO's 1.
    ///
    /// - Parameter numbers: Those of the classes; nil where nothing gives them.
    func category(_ numbers: [Int]?) -> Int {
        if let numbers, numbers.indices.contains(classIndex) { return numbers[classIndex] }
        return numbers == nil && keypoints != nil && classIndex == 0 ? 1 : classIndex
    }

    /// The entry with another box.
    func with(box: NormalizedBox?) -> COCOEntry {
        var entry = self
        entry.box = box
        return entry
    }
}

extension String {
    /// Appends what an entry has beside the picture and the category, in pixels.
    mutating func append(_ entry: COCOEntry, in size: ImageSize, maskForm: MaskForm) {
        if let box = entry.box?.pixels(in: size) {
            append(",\"bbox\":")
            appendJSON([box.x, box.y, box.width, box.height])
        }
        if let mask = entry.mask {
            append(",")
            appendMask(mask, maskForm)
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
