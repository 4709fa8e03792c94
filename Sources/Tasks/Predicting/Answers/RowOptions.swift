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

    package init(content: ImageAnswer.Content, top: Int, minimumConfidence: Float, maskForm: MaskForm) {
        (self.content, self.top, self.minimumConfidence, self.maskForm) = (content, top, minimumConfidence, maskForm)
    }
}
