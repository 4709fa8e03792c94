import FoundationEssentials

/// Counts the rows of a file that is read in pieces.
package enum RowCounter {
    /// One row per line.
    case lines(Int)
    /// Rows of CSV.
    case cells(CSVRows)

    /// Adds a piece of the file.
    package mutating func add(_ piece: Data) {
        switch self {
        case .lines(let count):
            let lineEnd = UInt8(ascii: "\n")
            self = .lines(count + piece.withUnsafeBytes { bytes in bytes.count { $0 == lineEnd } })
        case .cells(var rows):
            piece.withUnsafeBytes { bytes in for byte in bytes { rows.add(byte) } }
            self = .cells(rows)
        }
    }

    /// The rows so far.
    package var count: Int {
        switch self {
        case .lines(let count): count
        case .cells(let rows): rows.count
        }
    }
}

/// Counts the records of a CSV file. Each row after the header is a record; for objects, consecutive rows with the same
/// first cell are one.
package struct CSVRows {
    /// The records so far.
    package private(set) var count = 0
    private var cell: [UInt8] = []
    private var lastCell: [UInt8]?
    private var isFirstCell = true
    private var isQuoted = false
    private var lineCount = 0
    /// The header; its third column distinguishes classes from objects.
    private var header: [UInt8] = []
    private var hasObjects: Bool { header.starts(with: Array("id,error,time,".utf8)) }

    /// Makes a counter without rows.
    package init() {}

    /// Adds a byte of the file.
    package mutating func add(_ byte: UInt8) {
        if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
        if lineCount == 0, header.count < 64 { header.append(byte) }
        switch byte {
        case UInt8(ascii: "\n") where !isQuoted:
            if lineCount > 0, !hasObjects || cell != lastCell { count += 1 }
            lastCell = cell
            cell.removeAll(keepingCapacity: true)
            isFirstCell = true
            lineCount += 1
        case UInt8(ascii: ",") where !isQuoted: isFirstCell = false
        default: if isFirstCell, lineCount > 0 { cell.append(byte) }
        }
    }
}
