/// What one check of `apus doctor` found.
struct Finding: Encodable {
    enum State: String, Encodable {
        case good
        /// Works, but could be better, or lacks what only some users need.
        case note
        /// Something does not work.
        case problem
    }

    let subject: String
    let state: State
    let text: String
    /// What helps; nil where nothing has to be done.
    let advice: String?

    private init(_ subject: String, _ state: State, _ text: String, _ advice: String?) {
        (self.subject, self.state, self.text, self.advice) = (subject, state, text, advice)
    }

    static func good(_ subject: String, _ text: String) -> Finding { Finding(subject, .good, text, nil) }

    static func note(_ subject: String, _ text: String, advice: String) -> Finding {
        Finding(subject, .note, text, advice)
    }

    static func problem(_ subject: String, _ text: String, advice: String) -> Finding {
        Finding(subject, .problem, text, advice)
    }
}
