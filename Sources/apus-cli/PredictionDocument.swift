import Apus

/// One JSON document of a whole run: the model, every row, counts, and the summary.
///
///     {"model":"squeezenet1_1.onnx","records":[
///     {"id":"a.jpg","predictions":[…],"error":null}
///     ],"failed":0,"notices":[],"predicted":1,"summary":{…}}
struct PredictionDocument: Sink {
    private let output: RowFile
    private let options: RowOptions
    private let model: String
    private var isEmpty = true

    init(_ output: RowFile, _ options: RowOptions, model: String) {
        self.output = output
        self.options = options
        self.model = model
    }

    mutating func write(_ record: PredictionRecord) throws(OutputError) {
        try output.write((isEmpty ? beginning : ",\n") + record.jsonText(options))
        isEmpty = false
    }

    @discardableResult
    mutating func finish() throws(OutputError) -> SinkCheckpoint {
        try output.write((isEmpty ? beginning : "") + "\n]")
        try output.close()
        return SinkCheckpoint()
    }

    /// Writes what follows the rows on standard output.
    static func writeEnd(_ summary: RunSummary, notices: [String]) throws {
        struct End: Encodable {
            let predicted: Int
            let failed: Int
            let notices: [String]
            let summary: RunSummary
        }
        let end = End(predicted: summary.succeeded, failed: summary.failed, notices: notices, summary: summary)
        try OutputFile.standardOutput().write("," + Answer.text(json: end, isPretty: false).dropFirst() + "\n")
    }

    /// The rows stay as they are written.
    func commit() -> SinkCheckpoint { SinkCheckpoint() }

    /// The kind of sink that writes the document of a model.
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
