import Images
import Predicting

/// What a decoder reads from a network's outputs: the points of one person, hand, face or other thing.
package struct PointGroup: Sendable {
    /// A point in fractions of the network's input, from its upper left corner; `z` in fractions of its width.
    package struct Point: Sendable, Equatable {
        package var x, y: Float
        package var z: Float?
        package var confidence: Float?

        package init(x: Float, y: Float, z: Float? = nil, confidence: Float? = nil) {
            (self.x, self.y, self.z, self.confidence) = (x, y, z, confidence)
        }

        var isFinite: Bool { x.isFinite && y.isFinite && z?.isFinite ?? true }
    }

    package var points: [Point]
    /// The confidence that the thing is there; nil where the network gives none.
    package var confidence: Float?
    /// The box around it, with its class.
    package var box: ObjectCandidate?
    /// Its class, where no box has it.
    package var label: ClassificationObservation?

    package init(
        _ points: [Point], confidence: Float?, box: ObjectCandidate? = nil, label: ClassificationObservation? = nil
    ) {
        (self.points, self.confidence, self.box, self.label) = (points, confidence, box, label)
    }

    /// Points of two or three numbers each, of which the third is a depth, divided by the extents of an input.
    static func points(_ numbers: [Float], extent: Int, in size: ImageSize) -> [Point] {
        let (width, height) = (Float(size.width), Float(size.height))
        return stride(from: 0, to: numbers.count - extent + 1, by: extent).map { first in
            Point(
                x: numbers[first] / width, y: numbers[first + 1] / height,
                z: extent == 3 ? numbers[first + 2] / width : nil)
        }
    }

    /// The points in the upright picture.
    ///
    /// - Parameter placement: The place of the picture in the input.
    func keypoints(_ placement: ImagePlacement, _ schema: PointSchema) -> [Keypoint] {
        let width = placement.original(x: 1, y: 0).x - placement.original(x: 0, y: 0).x
        return points.enumerated().map { position, point in
            let place = placement.original(x: Double(point.x), y: Double(point.y))
            return Keypoint(
                name: schema.name(at: position), x: Float(place.x), y: Float(place.y),
                z: point.z.map { Float(Double($0) * width) }, confidence: point.confidence)
        }
    }
}
