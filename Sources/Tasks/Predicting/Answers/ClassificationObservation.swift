/// A class of a picture or of an object in it.
public struct ClassificationObservation: Sendable, Hashable {
    /// The class's position in the network's output.
    public let index: Int
    /// The class's name; its index as text when labels are not known.
    public var identifier: String { label ?? String(index) }
    /// The class's name, when labels are known.
    public let label: String?
    /// The confidence in the class, from 0 to 1.
    public let confidence: Float

    package init(index: Int, label: String?, confidence: Float) {
        self.index = index
        self.label = label
        self.confidence = confidence
    }
}
