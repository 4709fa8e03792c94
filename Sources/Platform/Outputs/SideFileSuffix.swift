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
}
