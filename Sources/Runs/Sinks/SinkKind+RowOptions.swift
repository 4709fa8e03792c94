import Vision

extension SinkKind {
    /// The parts of each answer that a sink writes.
    public struct RowOptions: Sendable {
        /// The number of classes, highest confidence first.
        public var top: Int
        /// The confidence below which classes are left out, from 0 to 1.
        public var minimumConfidence: Float
        /// The content of answers, which also determines the form of error rows. All objects of the detector are
        /// written.
        public var content: ImageAnswer.Content

        /// How masks are written.
        public var maskForm: MaskForm

        /// Whether objects have turned boxes, whose corners have columns.
        package var hasCorners = false

        /// Makes options.
        public init(
            top: Int = 5, minimumConfidence: Float = 0, content: ImageAnswer.Content = .classes,
            maskForm: MaskForm = .rle
        ) {
            self.maskForm = maskForm
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
