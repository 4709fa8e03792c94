/// Reads RFC 4180 strictly: CRLF line ends, quotes only around whole cells.
enum StrictCSV {
    struct Violation: Error {
        let offset: Int
    }

    static func rows(_ text: String) throws -> [[String]] {
        let scalars = Array(text.unicodeScalars)
        var rows: [[String]] = []
        var row: [String] = []
        var next = 0
        while next < scalars.count {
            row.append(try cell(scalars, &next))
            if next < scalars.count, scalars[next] == "," {
                next += 1
                continue
            }
            guard next + 1 < scalars.count, scalars[next] == "\r", scalars[next + 1] == "\n" else {
                throw Violation(offset: next)
            }
            next += 2
            rows.append(row)
            row = []
        }
        guard row.isEmpty else { throw Violation(offset: next) }
        return rows
    }

    private static func cell(_ scalars: [Unicode.Scalar], _ next: inout Int) throws -> String {
        var text = ""
        guard next < scalars.count, scalars[next] == "\"" else {
            while next < scalars.count, ![",", "\r"].contains(scalars[next]) {
                guard !["\"", "\n"].contains(scalars[next]) else { throw Violation(offset: next) }
                text.unicodeScalars.append(scalars[next])
                next += 1
            }
            return text
        }
        next += 1
        while next < scalars.count {
            if scalars[next] == "\"" {
                next += 1
                guard next < scalars.count, scalars[next] == "\"" else { return text }
            }
            text.unicodeScalars.append(scalars[next])
            next += 1
        }
        throw Violation(offset: next)
    }
}
