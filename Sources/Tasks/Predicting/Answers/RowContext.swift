/// What a row says beside the answer.
package struct RowContext {
    /// The parts of answers that are written.
    package var options: RowOptions
    /// The paths of the files that were written for the record, by their names in rows.
    package let files: [String: String]
    /// The time in a video or of a live source; nil for none.
    package let timestamp: Duration?

    package init(_ options: RowOptions, files: [String: String], timestamp: Duration?) {
        (self.options, self.files, self.timestamp) = (options, files, timestamp)
    }

    /// The path of a file; empty for none.
    package func fileCell(_ key: String) -> RowCell { .text(files[key]) }

    /// The paths of files as members of an object of JSON, each with a comma before it.
    package func fileMembers(_ keys: String...) -> String {
        var text = ""
        for key in keys {
            guard let path = files[key] else { continue }
            text += ",\"\(key)\":"
            text.appendJSON(path)
        }
        return text
    }
}
