import Images

/// A result of a prediction of Label Studio. Places are in percent of the picture.
package struct LabelStudioRegion {
    /// The picture that a place is in; nil for what is said of the whole picture.
    private var size: ImageSize?
    private let type: String
    /// The name of the control of the labelling configuration.
    private let control: String
    /// The numbers of the place by name.
    private var numbers: [(name: String, value: Float)] = []
    /// The corners of a polygon.
    private var corners: [SIMD2<Float>] = []
    private let label: String
    package let score: Float?
    /// The number of the region that this one belongs to.
    package private(set) var parent: Int?

    private init(_ type: String, control: String, label: String, score: Float?, size: ImageSize?) {
        (self.type, self.control, self.label, self.score, self.size) = (type, control, label, score, size)
    }

    /// A class of the picture.
    package static func choice(_ observation: ClassificationObservation) -> LabelStudioRegion {
        LabelStudioRegion(
            "choices", control: "choice", label: observation.identifier, score: observation.confidence, size: nil)
    }

    /// A box, turned clockwise around its upper left corner.
    package static func rectangle(
        _ box: NormalizedBox, degrees: Float = 0, label: String, score: Float, in size: ImageSize
    ) -> LabelStudioRegion {
        var region = LabelStudioRegion(
            "rectanglelabels", control: "label", label: label, score: score, size: size)
        region.numbers = [
            ("rotation", degrees), ("x", box.x * 100), ("y", box.y * 100), ("width", box.width * 100),
            ("height", box.height * 100),
        ]
        return region
    }

    /// The outlines of a mask.
    package static func polygons(_ mask: RunLengths, label: String, score: Float) -> [LabelStudioRegion] {
        let size = mask.size
        let percent = SIMD2(100 / Float(size.width), 100 / Float(size.height))
        return mask.outline.polygons.map { polygon in
            var region = LabelStudioRegion(
                "polygonlabels", control: "polygon", label: label, score: score, size: size)
            region.corners = stride(from: 0, to: polygon.count - 1, by: 2).map {
                SIMD2(Float(polygon[$0]), Float(polygon[$0 + 1])) * percent
            }
            return region
        }
    }

    /// Points, which have their positions as labels where they have no names.
    package static func points(_ points: [Keypoint], in size: ImageSize, parent: Int?) -> [LabelStudioRegion] {
        points.enumerated().map { position, point in
            var region = LabelStudioRegion(
                "keypointlabels", control: "keypoint", label: point.name ?? "\(position)", score: point.confidence,
                size: size)
            // The width is that of the dot on the screen.
            region.numbers = [("x", point.x * 100), ("y", point.y * 100), ("width", 0.5)]
            region.parent = parent
            return region
        }
    }

    /// The region as JSON.
    ///
    /// - Parameter number: Its number in the prediction, from 1.
    package func json(number: Int) -> String {
        var text = "{\"id\":\"\(number)\",\"type\":\"\(type)\",\"from_name\":\"\(control)\",\"to_name\":\"image\""
        if let parent { text += ",\"parentID\":\"\(parent)\"" }
        if let size {
            text += ",\"original_width\":\(size.width),\"original_height\":\(size.height),\"image_rotation\":0"
        }
        if let score {
            text += ",\"score\":"
            text.appendJSON(score)
        }
        text += ",\"value\":{"
        for (name, value) in numbers {
            text += "\"\(name)\":"
            if value == 0 { text += "0" } else { text.appendJSON(value) }
            text += ","
        }
        if !corners.isEmpty {
            text += "\"closed\":true,\"points\":["
            for (position, corner) in corners.enumerated() {
                if position > 0 { text += "," }
                text.appendJSON([corner.x, corner.y])
            }
            text += "],"
        }
        text += "\"\(type)\":["
        text.appendJSON(label)
        return text + "]}}"
    }
}
