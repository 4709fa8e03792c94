import Apus
import SharedOptions

/// One JSON document of a whole run: the model, every row, counts, and the summary.
///
///     {"model":"squeezenet1_1.onnx","records":[
///     {"id":"a.jpg","predictions":[…],"error":null}
///     ],"failed":0,"notices":[],"predicted":1,"summary":{…}}
///
/// If the rows go to a file, the document has no `records`.
struct PredictionDocument: Sink {
    private let output: RowFile
    private let options: SinkKind.RowOptions
    private let model: String
    private var isEmpty = true

    init(_ output: RowFile, _ options: SinkKind.RowOptions, model: String) {
        self.output = output
        self.options = options
        self.model = model
    }

    mutating func write(_ record: PredictionRecord<ImageAnswer>) throws(OutputError) {
        try output.write((isEmpty ? beginning : ",\n") + record.jsonText(options))
        isEmpty = false
    }

    @discardableResult
    mutating func finish() throws(OutputError) -> SinkCheckpoint {
        try output.write((isEmpty ? beginning : "") + "\n]")
        try output.close()
        return SinkCheckpoint()
    }

    /// The part of the document about the whole run.
    private struct Outcome: Encodable {
        var model: String?
        let predicted: Int
        let failed: Int
        let notices: [String]
        let summary: RunSummary
        /// Whether the summary's figures are repeated outside `summary`, where earlier versions had them.
        var repeatsSummary = false

        init(_ summary: RunSummary, _ notices: [String]) {
            (predicted, failed) = (summary.succeeded, summary.failed)
            (self.notices, self.summary) = (notices, summary)
        }

        func encode(to encoder: any Encoder) throws {
            if repeatsSummary { try summary.encode(to: encoder) }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(model, forKey: .model)
            try container.encode(predicted, forKey: .predicted)
            try container.encode(failed, forKey: .failed)
            try container.encode(notices, forKey: .notices)
            try container.encode(summary, forKey: .summary)
        }

        enum CodingKeys: CodingKey { case model, predicted, failed, notices, summary }
    }

    /// Writes the end of the document after the rows.
    static func writeEnd(_ summary: RunSummary, notices: [String]) throws {
        let end = try JSONDocument.text(of: Outcome(summary, notices), isPretty: false)
        try OutputFile.standardOutput().write("," + end.dropFirst() + "\n")
    }

    /// Writes the document without rows, which went to a file.
    static func write(_ summary: RunSummary, notices: [String], model: String) throws {
        var outcome = Outcome(summary, notices)
        outcome.model = model
        outcome.repeatsSummary = true
        try StandardOutput.write(json: outcome)
    }

    /// Does nothing, since standard output cannot be resumed.
    func commit() -> SinkCheckpoint { SinkCheckpoint() }

    /// The kind of sink that writes this document for a model.
    static func kind(model: String) -> SinkKind {
        SinkKind("json", fileExtensions: []) { target throws(OutputError) in
            PredictionDocument(try target.file(), target.options, model: model)
        }
    }

    private var beginning: String {
        var text = "{\"model\":"
        text.appendJSON(model)
        return text + ",\"records\":[\n"
    }
}
