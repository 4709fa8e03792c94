/// Non-maximum suppression: keeps the best of boxes that overlap too much to be different objects.
///
/// Boxes are taken by falling confidence, and in their order when it is equal. A box is kept unless its intersection
/// over union with a kept box is above the threshold.
public struct NonMaximumSuppression: Sendable, Equatable {
    /// The maximum overlap of two kept boxes: area of the intersection ÷ area of the union.
    public var threshold: Float { didSet { isThresholdGiven = true } }
    /// Whether the overlap was given, so that no decoder replaces it by its family's own.
    package private(set) var isThresholdGiven: Bool
    /// Whether boxes of different classes suppress each other as well.
    public var isClassAgnostic: Bool
    /// The maximum number of boxes that are kept.
    public var maximumCount: Int

    /// Makes a suppression.
    ///
    /// - Parameter threshold: The maximum overlap; nil for 0.45, or what is customary for the decoder's family.
    public init(threshold: Float? = nil, isClassAgnostic: Bool = false, maximumCount: Int = 100) {
        self.threshold = threshold ?? 0.45
        isThresholdGiven = threshold != nil
        self.isClassAgnostic = isClassAgnostic
        self.maximumCount = maximumCount
    }

    public static func == (first: NonMaximumSuppression, second: NonMaximumSuppression) -> Bool {
        (first.threshold, first.isClassAgnostic, first.maximumCount)
            == (second.threshold, second.isClassAgnostic, second.maximumCount)
    }
}
