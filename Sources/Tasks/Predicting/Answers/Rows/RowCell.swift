import SQLite

/// A value of a row in columns; nil where it is missing.
package enum RowCell: Equatable {
    case integer(Int?)
    case number(Float?)
    case text(String?)

    /// A value that is missing.
    package static let empty = RowCell.text(nil)

    /// The value as a cell of CSV.
    package var csvText: String {
        switch self {
        case .integer(let value): value.map { String($0) } ?? ""
        case .number(let value): value?.description ?? ""
        case .text(let value): value?.csvCell ?? ""
        }
    }

    /// The value in a database, which has null for NaN.
    package var databaseValue: DatabaseValue {
        switch self {
        case .integer(let value): value.map { DatabaseValue($0) } ?? .null
        case .number(let value): value.map { $0.isNaN ? .null : DatabaseValue(Double($0)) } ?? .null
        case .text(let value): DatabaseValue(value)
        }
    }
}

/// A column of rows.
package struct RowColumn {
    /// What a column holds, in SQL's words.
    package enum Content: String {
        case integer = "INTEGER"
        case number = "REAL"
        case text = "TEXT"
    }

    /// The name.
    package let name: String
    /// What the column holds.
    package let content: Content
    /// Whether a database has it in its table of records, since it is the same in all rows of a record.
    package var isOfRecord = false

    package init(name: String, content: Content, isOfRecord: Bool = false) {
        (self.name, self.content, self.isOfRecord) = (name, content, isOfRecord)
    }

    package static func integers(_ names: String...) -> [RowColumn] {
        names.map { RowColumn(name: $0, content: .integer) }
    }
    package static func numbers(_ names: String...) -> [RowColumn] { numbers(names) }
    package static func numbers(_ names: [String]) -> [RowColumn] {
        names.map { RowColumn(name: $0, content: .number) }
    }
    package static func texts(_ names: String...) -> [RowColumn] { names.map { RowColumn(name: $0, content: .text) } }

    /// The name in a database, where some names are words of SQL.
    package var databaseName: String {
        switch name {
        case "index": "class"
        case "values": "numbers"
        default: name
        }
    }
}

extension RowColumn {
    /// The size of a picture in pixels.
    package static let ofSize = ["width", "height"].map { RowColumn(name: $0, content: .integer, isOfRecord: true) }
    /// A box in fractions of the picture.
    package static let ofBox = numbers("x", "y", "width", "height")
    /// The class, the confidence and the box of an object.
    package static let ofObject = integers("index") + texts("label") + numbers("confidence") + ofBox
    /// The four corners of an object or a line of text.
    package static let ofCorners = numbers((1...4).flatMap { ["x\($0)", "y\($0)"] })
}
