import NumPyFiles
import Platform
import Predicting
import Tensors

/// Writes the numbers of answers as one NumPy array with a row per picture: the network's scores of classes, a vector,
/// or the one output that is read. `OUTPUT.records.jsonl` beside it names the picture of each row.
///
///     scores.npy                  [pictures, …]; rows of pictures without an answer are NaN
///     scores.npy.records.jsonl    {"id":"a.jpg","error":null}
///
/// A record whose file is damaged, although all pixels could be decoded, has `"warning"` before its error.
///
/// The numbers are the network's own: no softmax is applied. Scores and vectors are float32, and an output has its own
/// type, or float32 where NumPy lacks that. Rows of integers are 0 where there is no answer. The header counts only
/// committed rows.
public struct NumPySink: Sink {
    /// The length of the header, enough for every number of rows.
    static let headerByteCount = 128
    /// The suffix of the file beside the array.
    package static let recordsSuffix = SideFileSuffix.records

    private let output: OutputFile
    /// The checksum of the rows of the array.
    private var rows: Checksum
    private let records: RowFile
    private let rowShape: [Int]
    private let elementType: ElementType
    private var rowCount: Int

    private var rowElementCount: Int { rowShape.reduce(1, *) }
    private var byteCount: Int { Self.headerByteCount + rowCount * rowElementCount * elementType.byteCount }

    package init(_ target: SinkTarget) throws(OutputError) {
        let name = target.path ?? "standard output"
        guard let shape = target.scoreShape else {
            throw .failed(
                name: name,
                message: target.options.content.type.reasonForNoArray)
        }
        rowShape = shape
        elementType = target.scoreType.inNumPy
        rowCount = 0
        if let checkpoint = target.checkpoint {
            let count = checkpoint.state["rows"] ?? 0
            guard target.keptCount(0) - Self.headerByteCount == Self.byteCount(rows: count, of: shape, elementType)
            else {
                throw .failed(
                    name: name, message: "the array of \(count) rows of \(shape) that was committed has another length")
            }
            rowCount = count
        }
        rows = try target.checksum(header: Self.header(rows: rowCount, of: shape, elementType))
        output = try OutputFile(path: name, keeping: target.keptCount(0), calls: target.calls)
        records = try target.file(suffix: Self.recordsSuffix, index: 1)
        if output.byteCount == 0 { try output.write(numbers: Self.header(rows: 0, of: shape, elementType)) }
    }

    public mutating func write(_ record: PredictionRecord<ImageAnswer>) throws(OutputError) {
        var text = "{\"id\":"
        text.appendJSON(record.id)
        if let warning = record.warning {
            text += ",\"warning\":"
            text.appendJSON(warning)
        }
        text += ",\"error\":"
        var row = RowNumbers(missing: elementType, count: rowElementCount)
        switch record.numbers {
        case .success(let numbers):
            guard numbers.count == rowElementCount else {
                throw .failed(
                    name: output.name,
                    message: "\(record.id) has \(numbers.count) numbers, not \(rowElementCount) as \(rowShape)")
            }
            guard numbers.elementType == elementType else {
                throw .failed(
                    name: output.name,
                    message: "\(record.id) has numbers of \(numbers.elementType), not \(elementType)")
            }
            row = numbers
            text += "null"
        case .failure(let error): text.appendJSON(error)
        }
        try output.write(numbers: row.bytes)
        try records.write(text + "}\n")
        rows.add(numbers: row.bytes)
        rowCount += 1
    }

    public var rowByteCount: Int? { records.byteCount }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint {
        let header = Self.header(rows: rowCount, of: rowShape, elementType)
        try output.overwriteBeginning(header)
        try output.synchronize()
        try records.synchronize()
        var checksum = Checksum(header)
        checksum.add(rows, byteCount: byteCount - header.count)
        return SinkCheckpoint(
            byteCounts: [byteCount, records.byteCount], checksums: [checksum.text, records.checksum.text],
            state: ["rows": rowCount])
    }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint {
        let checkpoint = try commit()
        try output.close()
        try records.close()
        return checkpoint
    }

    /// The size of rows in bytes; nil on overflow.
    package static func byteCount(rows: Int, of shape: [Int], _ elementType: ElementType = .float32) -> Int? {
        var count = rows
        for factor in shape + [elementType.byteCount] {
            let (product, overflow) = count.multipliedReportingOverflow(by: factor)
            guard !overflow, product >= 0 else { return nil }
            count = product
        }
        return count
    }

    /// The header of a file that a sink wrote.
    package static func header(of path: String) throws(ApusError) -> NumPyHeader {
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

    /// The header of an array with this number of rows, always ``headerByteCount`` bytes long.
    package static func header(rows: Int, of shape: [Int], _ elementType: ElementType = .float32) -> [UInt8] {
        NumPyHeader(elementType, shape: [rows] + shape).encoded(byteCount: headerByteCount)
    }
}
