/// The suffixes of files that are written beside an output.
package enum SideFileSuffix {
    /// The manifest of a run.
    package static let manifest = ".run.json"
    /// The positions of a shard's rows in the whole list.
    package static let rowIndex = ".run.rows"
    /// The list of files in folders as a run first found them.
    package static let firstListing = ".run.list"
    /// The bytes at the beginning of a file with the suffix ``firstListing``. A run that ended before its manifest was
    /// written leaves such a file.
    package static let firstListingMark = Array("apus list 1\n".utf8)
    /// The ids of the rows of an array.
    package static let records = ".records.jsonl"
    /// The files that a run of any format writes.
    package static let ofRuns = [manifest, rowIndex, firstListing]
    /// The files that SQLite writes beside a database. https://www.sqlite.org/tempfiles.html
    package static let ofDatabases = ["-wal", "-shm", "-journal"]

    /// The name of the database beside which SQLite wrote a file: one of ``ofDatabases``, or the journal of a
    /// transaction over several databases, whose suffix is `-mj` and hexadecimal digits; nil for other names.
    static func database(of name: String) -> String? {
        if let suffix = ofDatabases.first(where: name.hasSuffix) { return String(name.dropLast(suffix.count)) }
        let digits = name.utf8.reversed().prefix {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "F") ~= $0
        }
        let rest = name.utf8.dropLast(digits.count)
        return digits.isEmpty || !rest.reversed().starts(with: "jm-".utf8) ? nil : String(rest.dropLast(3))
    }
}
