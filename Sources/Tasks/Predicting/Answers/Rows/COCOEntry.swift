import Images

/// An entry of results in COCO's form.
///
/// Source: https://cocodataset.org/#format-results
package struct COCOEntry {
    package let classIndex: Int
    /// The name of the class, when known.
    package var className: String?
    package let score: Float
    package var box: NormalizedBox?
    package var mask: RunLengths?
    package var keypoints: [Keypoint]?
    /// The corners of a turned box, in pixels.
    package var corners: [Float]?

    package init(
        classIndex: Int, className: String? = nil, score: Float, box: NormalizedBox? = nil, mask: RunLengths? = nil,
        keypoints: [Keypoint]? = nil, corners: [Float]? = nil
    ) {
        (self.classIndex, self.className, self.score, self.box) = (classIndex, className, score, box)
        (self.mask, self.keypoints, self.corners) = (mask, keypoints, corners)
    }
}

extension COCOEntry {
    /// The number of the category. The only class of things with points is COCO's 1.
    ///
    /// - Parameter numbers: Those of the classes; nil where nothing gives them.
    package func category(_ numbers: [Int]?) -> Int {
        if let numbers, numbers.indices.contains(classIndex) { return numbers[classIndex] }
        return numbers == nil && keypoints != nil && classIndex == 0 ? 1 : classIndex
    }

    /// The entry with another box.
    package func with(box: NormalizedBox?) -> COCOEntry {
        var entry = self
        entry.box = box
        return entry
    }
}

extension COCOEntry {
    /// COCO's own category numbers, for a network with its 80 classes; nil for others.
    package static func customaryCategoryIDs(classCount: Int?) -> [Int]? {
        classCount == cocoCategoryIDs.count ? cocoCategoryIDs : nil
    }

    /// The numbers of COCO's 80 object classes among the category numbers 1 to 90.
    private static let cocoCategoryIDs = Array(1...90).filter {
        ![12, 26, 29, 30, 45, 66, 68, 69, 71, 83].contains($0)
    }
}

extension String {
    /// Appends what an entry has beside the picture and the category, in pixels.
    package mutating func append(_ entry: COCOEntry, in size: ImageSize, maskForm: MaskForm) {
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
