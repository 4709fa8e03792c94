extension Evaluation {
    /// What is evaluated, and how.
    public struct Options: Sendable {
        /// How many pictures run together.
        public var batch = 8
        /// How many bins the calibration has.
        public var binCount = 15
        /// How many of the worst mistakes are kept.
        public var mistakeCount = 24
        /// Whether the worst mistakes keep small pictures.
        public var keepsThumbnails = false
        /// Whether records whose label is no class are counted and left out, instead of being an error.
        public var skipsUnknownLabels = false

        /// Makes options.
        public init() {}
    }
}
