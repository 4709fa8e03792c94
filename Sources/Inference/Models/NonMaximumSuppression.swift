/// Keeps the best of boxes that overlap too much to be different things.
///
/// Boxes are gone through by falling confidence (of equal ones, in their order); one is kept unless its intersection over
/// union with a kept one is above the threshold.
public struct NonMaximumSuppression: Sendable, Equatable {
    /// The most that two kept boxes overlap: area of the intersection ÷ area of the union.
    public var threshold: Float
    /// Whether boxes of different classes suppress each other as well.
    public var isClassAgnostic: Bool
    /// How many boxes are kept at most.
    public var maximumCount: Int

    /// Makes a suppression.
    public init(threshold: Float = 0.45, isClassAgnostic: Bool = false, maximumCount: Int = 100) {
        self.threshold = threshold
        self.isClassAgnostic = isClassAgnostic
        self.maximumCount = maximumCount
    }
}
