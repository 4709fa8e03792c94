import Apus

/// One JSON document of a whole run: the model, every row, and counts.
///
///     {"model":"squeezenet1_1.onnx","records":[
///     {"id":"a.jpg","predictions":[…],"error":null}
///     ],"predicted":1,"failed":0}
struct PredictionDocument: Sink {
    private let output: OutputFile
    private let options: RowOptions
    private let model: String
    private var counts = (predicted: 0, failed: 0)

    init(_ output: OutputFile, _ options: RowOptions, model: String) {
        self.output = output
        self.options = options
        self.model = model
    }

    mutating func write(_ record: PredictionRecord) throws(OutputError) {
        let isFirst = counts == (0, 0)
        try output.write((isFirst ? beginning : ",\n") + record.jsonText(options))
        if case .success = record.result { counts.predicted += 1 } else { counts.failed += 1 }
    }

    mutating func finish() throws(OutputError) {
        let start = counts == (0, 0) ? beginning : ""
        try output.write("\(start)\n],\"predicted\":\(counts.predicted),\"failed\":\(counts.failed)}\n")
        try output.close()
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
