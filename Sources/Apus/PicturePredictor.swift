/// What a ``BatchRunner`` takes pictures through.
protocol PicturePredictor: Sendable {
    var session: Session { get }
    /// The names of the classes, when known.
    var labels: Labels? { get }
    /// How pictures become numbers.
    var pictures: PicturePreparation { get }
    /// What answers hold.
    var content: PictureAnswer.Content { get }
    /// What answers depend on beside the model, the labels and the preprocessing.
    var settings: [String: String] { get }
    /// What results in COCO's form call the classes.
    var categoryIDs: [Int]? { get }

    /// Predicts prepared pictures of equal extents, as one batch where the network allows it.
    func answers(to pictures: [PreparedPicture]) async throws(ApusError) -> [Result<PictureAnswer, RecordError>]
}

extension PicturePredictor {
    var content: PictureAnswer.Content { .classes }
    var settings: [String: String] { [:] }
    var categoryIDs: [Int]? { nil }
}
