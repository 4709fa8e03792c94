import Glibc
import Images
import Predicting

extension RecognizedObject {
    /// The corners of a turned box in pixels, x and y of each; nil for a box that is not turned.
    func cornerPixels(in size: ImageSize) -> [Float]? {
        corners.isEmpty ? nil : corners.flatMap { [$0.x * Float(size.width), $0.y * Float(size.height)] }
    }
}

extension FoundItem {
    init(_ object: RecognizedObject) {
        let points = object.corners.isEmpty ? object.points : object.corners
        self.init(
            label: object.labels.first, confidence: object.confidence, box: object.box, trackID: object.trackID,
            points: points.map { Keypoint(x: $0.x, y: $0.y) })
    }
}

extension COCOEntry {
    /// - Parameter size: The size of the picture, in which the corners of a turned box lie.
    init(_ object: RecognizedObject, in size: ImageSize?) {
        self.init(
            classIndex: object.labels.first?.index ?? 0, className: object.label, score: object.confidence,
            box: object.box, corners: size.flatMap(object.cornerPixels))
    }
}

extension LabelStudioRegion {
    /// The box of an object, turned where the object's is.
    static func rectangle(_ object: RecognizedObject, in size: ImageSize) -> LabelStudioRegion {
        let corners = object.cornerPixels(in: size).flatMap { $0.count == 8 ? $0 : nil }
        guard let corners else {
            return rectangle(object.box, label: object.identifier, score: object.confidence, in: size)
        }
        // A rectangle is turned clockwise around its upper left corner.
        let (left, top) = (corners[0], corners[1])
        let (across, down) = ((corners[2] - left, corners[3] - top), (corners[6] - left, corners[7] - top))
        let box = NormalizedBox(
            x: left / Float(size.width), y: top / Float(size.height),
            width: length(across) / Float(size.width), height: length(down) / Float(size.height))
        return rectangle(
            box, degrees: atan2(across.1, across.0) * 180 / .pi, label: object.identifier, score: object.confidence,
            in: size)
    }

    // glibc's hypotf computes the same, but asks for version 2.35.
    private static func length(_ vector: (Float, Float)) -> Float {
        Float((Double(vector.0) * Double(vector.0) + Double(vector.1) * Double(vector.1)).squareRoot())
    }
}

extension String {
    /// Appends the corners of a turned box, if it is one, as a member of an object: points in fractions of the picture.
    mutating func appendCorners(_ corners: [SIMD2<Float>]) {
        guard !corners.isEmpty else { return }
        append(",\"corners\":[")
        for (position, corner) in corners.enumerated() {
            if position > 0 { append(",") }
            appendJSON([corner.x, corner.y])
        }
        append("]")
    }
}

extension RecognizedObject {
    /// The object in the whole picture.
    func placed(by crop: RegionCrop, in size: ImageSize) -> RecognizedObject {
        var object = RecognizedObject(
            confidence: confidence, box: box.placed(by: crop, in: size), labels: labels, trackID: trackID)
        object.wholeBox = wholeBox?.placed(by: crop, in: size)
        object.points = points.map { crop.place($0, in: size) }
        object.corners = corners.map { crop.place($0, in: size) }
        return object
    }
}
