import Apus

/// One JSON document of a whole run: the model, every row, and counts.
///
///     {"model":"squeezenet1_1.onnx","records":[
///     {"id":"a.jpg","predictions":[…],"error":null}
///     ],"predicted":1,"failed":0,"notices":[]}
struct PredictionDocument: Sink {
    private let output: OutputFile
    private let options: RowOptions
    private let model: String
    private let notices: @Sendable () -> [String]
    private var counts = (predicted: 0, failed: 0)

    init(_ output: OutputFile, _ options: RowOptions, model: String, notices: @escaping @Sendable () -> [String]) {
        self.output = output
        self.options = options
        self.model = model
        self.notices = notices
    }

    mutating func write(_ record: PredictionRecord) throws(OutputError) {
        let isFirst = counts == (0, 0)
        try output.write((isFirst ? beginning : ",\n") + record.jsonText(options))
        if case .success = record.result { counts.predicted += 1 } else { counts.failed += 1 }
    }

    mutating func finish() throws(OutputError) {
        let start = counts == (0, 0) ? beginning : ""
        var list: [String] = []
        for notice in notices() {
            var text = ""
            text.appendJSON(notice)
            list.append(text)
        }
        try output.write(
            "\(start)\n],\"predicted\":\(counts.predicted),\"failed\":\(counts.failed),"
                + "\"notices\":[\(list.joined(separator: ","))]}\n")
        try output.close()
    }

    /// The rows stay as they are written.
    func commit() -> SinkCheckpoint { SinkCheckpoint() }

    /// The kind of sink that writes the document of a model.
    static func kind(model: String, notices: @escaping @Sendable () -> [String]) -> SinkKind {
        SinkKind("json", fileExtensions: []) { target throws(OutputError) in
            PredictionDocument(try target.file(), target.options, model: model, notices: notices)
        }
    }

    private var beginning: String {
        var text = "{\"model\":"
        text.appendJSON(model)
        return text + ",\"records\":[\n"
    }
}
