import Apus

/// What a predictor does, as a document.
struct PredictorReport: Encodable {
    let model: String
    /// The kind of answers.
    let content: String
    /// The names of the classes; nil when they are not known.
    let labels: [String]?
    /// The steps from picture to input.
    let preprocessing: String
    /// Whether these are a guess.
    let isPreprocessingGuessed: Bool
    /// The settings on which answers depend.
    let settings: [String: String]
    /// What its devices did instead of what was asked for.
    let notices: [String]

    init(_ object: PredictorObject) {
        let predictor = object.predictor
        model = object.name
        content = predictor.content.rawValue
        labels = predictor.labels.map { labels in (0..<labels.count).map { labels[$0] ?? String($0) } }
        preprocessing = predictor.pictures.input.preprocessing.description
        isPreprocessingGuessed = predictor.pictures.input.isGuessed
        settings = predictor.settings
        notices = predictor.sessions.flatMap(\.notices)
    }
}
