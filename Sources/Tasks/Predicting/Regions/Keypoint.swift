/// A point in a picture, such as an elbow or the corner of an eye.
public struct Keypoint: Sendable, Hashable {
    /// The name, when known.
    public let name: String?
    /// The distance from the left edge of the upright picture, as a fraction of its width; outside 0…1 where the
    /// network places the point beyond an edge.
    public let x: Float
    /// The distance from the upper edge, as a fraction of the height.
    public let y: Float
    /// The depth as a fraction of the picture's width, smaller nearer to the camera; nil where the network gives none.
    public let z: Float?
    /// The confidence in the point, or that it can be seen; nil where the network gives none. Heat maps have no upper
    /// limit.
    public let confidence: Float?

    /// Makes a point.
    public init(name: String? = nil, x: Float, y: Float, z: Float? = nil, confidence: Float? = nil) {
        (self.name, self.x, self.y, self.z, self.confidence) = (name, x, y, z, confidence)
    }
}
