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
