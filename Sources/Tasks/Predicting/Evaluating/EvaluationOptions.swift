/// The options of an evaluation.
public struct EvaluationOptions: Sendable {
    /// The number of pictures in a batch.
    public var batch = 8
    /// The number of bins of the calibration.
    public var binCount = 15
    /// The number of worst mistakes to keep.
    public var mistakeCount = 24
    /// Whether the worst mistakes have thumbnails.
    public var keepsThumbnails = false
    /// Whether records whose label is not a class are counted and left out instead of causing an error.
    public var skipsUnknownLabels = false

    /// Makes options.
    public init() {}
}
