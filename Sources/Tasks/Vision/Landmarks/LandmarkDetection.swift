import Images
import Predicting

/// The points of the one thing that a picture shows, such as a face.
public struct LandmarkDetection: Sendable, Equatable {
    /// The points, in the network's order; empty where the confidence is too low.
    public let points: [Keypoint]
    /// The confidence that the thing is there, from 0 to 1; nil where the network gives none.
    public let confidence: Float?
    /// The size of the upright picture; nil for records that are arrays of numbers.
    public let imageSize: ImageSize?
    /// The pairs of points, by their positions, between which lines are drawn.
    public let skeleton: [[Int]]

    package init(_ points: [Keypoint], confidence: Float?, imageSize: ImageSize?, skeleton: [[Int]]) {
        (self.points, self.confidence, self.imageSize, self.skeleton) = (points, confidence, imageSize, skeleton)
    }

    /// The point of a name; nil when there is none.
    public subscript(name: String) -> Keypoint? { points.first { $0.name == name } }
}
