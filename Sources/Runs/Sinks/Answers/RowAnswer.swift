import Images
import SQLite
import Vision

/// An answer as rows have it. Each kind of answer is a file of this folder.
protocol RowAnswer: Sendable {
    /// The kind of the answer.
    static var content: ImageAnswer.Content { get }
    /// The word for the answer in errors and in their codes.
    static var name: String { get }
    /// The key of the answer in a row of JSON, where it is null when there is an error.
    static var key: String { get }

    /// The name of the table of a database that has the answers.
    static var tableName: String { get }
    /// The table's columns. Kinds other than classes and vectors have the columns of CSV.
    static var table: AnswerTable { get }

    /// The columns of a row of CSV, after the id and the error.
    ///
    /// - Parameter vectorLength: The number of elements of a vector.
    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn]

    /// The first cells of those columns for a record with an error.
    static func cellsOfFailure(_ row: RowContext) -> [RowCell]

    /// The size of the upright picture in pixels, where the answer knows it.
    var pictureSize: ImageSize? { get }
    /// The best class or the text, with the confidence in it; empty where the answer has none.
    var bestCells: (value: RowCell, confidence: RowCell) { get }
    /// The answer to a part of a picture, in a few words.
    var summary: String { get }
    /// The one row of numbers that the answer has in an array; nil for none.
    var numberRow: RowNumbers? { get }
    /// The entries of COCO's results.
    var cocoEntries: [COCOEntry] { get }

    /// The members of an object of JSON, without the braces.
    func jsonMembers(_ row: RowContext) -> String

    /// The first cells of each row of CSV; no row where nothing was found.
    func cells(_ row: RowContext) -> [[RowCell]]

    /// The first cells of the one row of CSV where nothing was found.
    func cellsOfNothing(_ row: RowContext) -> [RowCell]

    /// The rows of the answer in the table of a database, without the record.
    func databaseRows(_ row: RowContext) -> [[DatabaseValue]]

    /// The lines of a table.
    func tableLines(_ row: RowContext) -> [TableLine]
}

extension RowAnswer {
    static var name: String { content.rawValue }
    static var key: String { content.rawValue }
    static var tableName: String { key }
    static func cellsOfFailure(_ row: RowContext) -> [RowCell] { [] }

    func cellsOfNothing(_ row: RowContext) -> [RowCell] { Self.cellsOfFailure(row) }
    var pictureSize: ImageSize? { nil }
    var bestCells: (value: RowCell, confidence: RowCell) { (.empty, .empty) }
    var summary: String { "…" }
    var numberRow: RowNumbers? { nil }
    var cocoEntries: [COCOEntry] { [] }
}

/// What a row says beside the answer.
struct RowContext {
    /// The parts of answers that are written.
    var options: SinkKind.RowOptions
    /// The paths of the files that were written for the record, by their names in rows.
    let files: [String: String]
    /// The time in a video or of a live source; nil for none.
    let timestamp: Duration?

    init(_ record: PredictionRecord, _ options: SinkKind.RowOptions) {
        (self.options, files, timestamp) = (options, record.files, record.timestamp)
    }

    /// The path of a file; empty for none.
    func fileCell(_ key: String) -> RowCell { .text(files[key]) }

    /// The paths of files as members of an object of JSON, each with a comma before it.
    func fileMembers(_ keys: String...) -> String {
        var text = ""
        for key in keys {
            guard let path = files[key] else { continue }
            text += ",\"\(key)\":"
            text.appendJSON(path)
        }
        return text
    }
}
