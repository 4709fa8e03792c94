import Images
import Predicting

/// A person or a hand in a picture, by its points.
public struct Pose: Sendable, Hashable {
    /// The confidence that it is there, from 0 to 1. For networks without such a number it is the mean of the points'
    /// confidences.
    public let confidence: Float
    /// The box around it, where the network gives one.
    public let box: NormalizedBox?
    /// Its class, where the network gives one: a class of objects, or which hand it is.
    public let label: ClassificationObservation?
    /// The points, in the network's order.
    public let keypoints: [Keypoint]

    package init(confidence: Float, box: NormalizedBox?, label: ClassificationObservation?, keypoints: [Keypoint]) {
        (self.confidence, self.box, self.label, self.keypoints) = (confidence, box, label, keypoints)
    }

    /// The point of a name; nil when there is none.
    public subscript(name: String) -> Keypoint? { keypoints.first { $0.name == name } }
}

/// The people or hands in one picture, those with the most confidence first.
public struct PoseEstimation: Sendable, Equatable {
    /// The people or hands.
    public let poses: [Pose]
    /// The size of the upright picture; nil for records that are arrays of numbers.
    public let imageSize: ImageSize?
    /// The pairs of points, by their positions, between which lines are drawn.
    public let skeleton: [[Int]]

    package init(_ poses: [Pose], imageSize: ImageSize?, skeleton: [[Int]]) {
        (self.poses, self.imageSize, self.skeleton) = (poses, imageSize, skeleton)
    }
}
