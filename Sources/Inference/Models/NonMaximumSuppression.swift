/// Non-maximum suppression: keeps the best of boxes that overlap too much to be different objects.
///
/// Boxes are taken by falling confidence, and in their order when it is equal. A box is kept unless its intersection
/// over union with a kept box is above the threshold.
public struct NonMaximumSuppression: Sendable, Equatable {
    /// The maximum overlap of two kept boxes: area of the intersection ÷ area of the union.
    public var threshold: Float
    /// Whether boxes of different classes suppress each other as well.
    public var isClassAgnostic: Bool
    /// The maximum number of boxes that are kept.
    public var maximumCount: Int

    /// Makes a suppression.
    public init(threshold: Float = 0.45, isClassAgnostic: Bool = false, maximumCount: Int = 100) {
        self.threshold = threshold
        self.isClassAgnostic = isClassAgnostic
        self.maximumCount = maximumCount
    }
}
