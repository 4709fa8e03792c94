/// The network's first output as one NumPy array with a row per picture, and beside it `OUTPUT.records.jsonl`, which names
/// the picture of each row.
///
///     scores.npy                  float32, [pictures, …]; rows of pictures without an answer are not-a-number
///     scores.npy.records.jsonl    {"id":"a.jpg","error":null}
///
/// The numbers are the network's own: no softmax is applied. The header holds the rows that are committed.
public struct NumPySink: Sink {
    /// Enough for every number of rows, so that the header never grows.
    static let headerByteCount = 128
    /// What the name of the file beside the array ends in.
    static let recordsSuffix = ".records.jsonl"

    private let output: OutputFile
    private let records: OutputFile
    private let rowShape: [Int]
    private var rowCount: Int

    private var rowElementCount: Int { rowShape.reduce(1, *) }

    init(_ target: SinkTarget) throws(OutputError) {
        let name = target.path ?? "standard output"
        guard let shape = target.scoreShape else {
            throw .failed(name: name, message: "the network's first output has no fixed extents to make an array of")
        }
        rowShape = shape
        rowCount = target.checkpoint?.state["rows"] ?? 0
        output = try target.file()
        records = try target.file(suffix: Self.recordsSuffix, index: 1)
        if output.byteCount == 0 { try output.write(numbers: header) }
    }

    public mutating func write(_ record: PredictionRecord) throws(OutputError) {
        var text = "{\"id\":"
        text.appendJSON(record.id)
        text += ",\"error\":"
        var row = [Float](repeating: .nan, count: rowElementCount)
        switch record.result {
        case .success(let answer):
            guard answer.scores.count == rowElementCount else {
                throw .failed(
                    name: output.name,
                    message: "\(record.id) has \(answer.scores.count) numbers, not \(rowElementCount) as \(rowShape)")
            }
            row = answer.scores
            text += "null"
        case .failure(let error): text.appendJSON(error)
        }
        try output.write(numbers: row)
        try records.write(text + "}\n")
        rowCount += 1
    }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint {
        try output.overwriteBeginning(header)
        try output.synchronize()
        try records.synchronize()
        let byteCount = Self.headerByteCount + rowCount * rowElementCount * MemoryLayout<Float>.stride
        return SinkCheckpoint(byteCounts: [byteCount, records.byteCount], state: ["rows": rowCount])
    }

    public mutating func finish() throws(OutputError) {
        try output.overwriteBeginning(header)
        try output.close()
        try records.close()
    }

    /// The header of a file that a sink wrote.
    static func header(of path: String) throws(ApusError) -> NumPyHeader {
        var rest = try FileContent.read(path, from: 0, count: headerByteCount)
        do {
            return try NumPyHeader { count in
                defer { rest = rest.dropFirst(count) }
                return rest.prefix(count)
            }
        } catch {
            throw .file(path: path, message: "\(error)")
        }
    }

    /// The header for the rows written so far, always of the same length.
    private var header: [UInt8] {
        NumPyHeader(.float32, shape: [rowCount] + rowShape).encoded(byteCount: Self.headerByteCount)
    }
}
