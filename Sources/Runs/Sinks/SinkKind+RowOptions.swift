import Vision

extension SinkKind {
    /// What a sink writes of each answer.
    public struct RowOptions: Sendable {
        /// How many classes, those with the most confidence first.
        public var top: Int
        /// Classes with less confidence are left out; from 0 to 1.
        public var minimumConfidence: Float
        /// What answers hold, which decides how an error looks. Of objects all are written that the detector gives.
        public var content: ImageAnswer.Content

        /// Makes options.
        public init(
            top: Int = 5, minimumConfidence: Float = 0, content: ImageAnswer.Content = .classes
        ) {
            self.top = top
            self.minimumConfidence = minimumConfidence
            self.content = content
        }

        /// The classes of an answer that are written.
        package func predictions(_ answer: Classification) -> [ClassificationObservation] {
            answer.top(top, minimumConfidence: minimumConfidence)
        }
    }
}
