import Platform
import SQLite

/// A table of a database with the answers of one kind. Its rows name their record, and count those of a record from 1.
package struct AnswerTable {
    /// The name.
    package let name: String
    /// The column that counts the rows of a record; nil where each has one row.
    package let counter: String?
    /// The names and types of the columns behind these.
    package let columns: [(name: String, type: String)]

    package init(name: String, counter: String?, columns: [(name: String, type: String)]) {
        (self.name, self.counter, self.columns) = (name, counter, columns)
    }

    /// The names of all columns.
    package var columnNames: [String] { ["record"] + behindRecord }

    /// The names of the columns behind the record.
    private var behindRecord: [String] { (counter.map { [$0] } ?? []) + columns.map(\.name) }

    /// The statement that makes the table where there is none.
    package var creation: String {
        let columns = columns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
        guard let counter else {
            return "CREATE TABLE IF NOT EXISTS \(name) (record INTEGER PRIMARY KEY REFERENCES records, \(columns))"
        }
        return """
            CREATE TABLE IF NOT EXISTS \(name) (
                record INTEGER NOT NULL REFERENCES records, \(counter) INTEGER NOT NULL, \(columns),
                PRIMARY KEY (record, \(counter))) WITHOUT ROWID
            """
    }

    /// The statement that adds a row.
    package var insertion: String {
        "INSERT INTO \(name) VALUES (\(columnNames.map { _ in "?" }.joined(separator: ", ")))"
    }

    /// The statement that copies the rows of an attached database `part`, whose records are numbered otherwise.
    ///
    /// - Parameter isOrdered: Whether records have the numbers of the table `places`; else those behind `bases`.
    package func copying(isOrdered: Bool) -> String {
        let order = counter.map { ", \($0)" } ?? ""
        let rest = behindRecord.joined(separator: ", ")
        return isOrdered
            ? """
            INSERT INTO main.\(name) SELECT position, \(rest)
                FROM part.\(name) AS answer JOIN part.places AS place ON place.record = answer.record
                ORDER BY position\(order)
            """
            : """
            INSERT INTO main.\(name) SELECT record + (SELECT record FROM bases), \(rest) FROM part.\(name)
                ORDER BY record\(order)
            """
    }
}

extension TaskAnswer {
    package static var table: AnswerTable {
        AnswerTable(
            name: tableName, counter: "row",
            columns: databaseColumns.map { ($0.column.databaseName, $0.column.content.rawValue) })
    }

    /// The columns of CSV that a table of answers has, and their positions.
    private static var databaseColumns: [(position: Int, column: RowColumn)] {
        var options = RowOptions(content: ImageAnswer.Content(Self.self), top: 0, minimumConfidence: 0, maskForm: .rle)
        options.hasCorners = true
        return columns(options, vectorLength: 0).enumerated().filter { !$1.isOfRecord }.map { ($0, $1) }
    }

    package func databaseRows(_ row: RowContext) -> [[DatabaseValue]] {
        var row = row
        row.options.hasCorners = true
        return cells(row).enumerated().map { number, cells in
            [DatabaseValue(number + 1)]
                + Self.databaseColumns.map { $0.position < cells.count ? cells[$0.position].databaseValue : .null }
        }
    }
}
