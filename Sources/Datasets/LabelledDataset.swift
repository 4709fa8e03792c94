import Platform

/// A dataset whose labels are parts of its records' ids, such as `cat` in `photos/cat-17.jpg`.
public struct LabelledDataset: Dataset {
    private let base: any Dataset
    private let pattern: LabelPattern

    fileprivate init(_ base: any Dataset, _ pattern: LabelPattern) {
        self.base = base
        self.pattern = pattern
    }

    public var canBeListedAhead: Bool { base.canBeListedAhead }

    public var folders: [String] { base.folders }

    public var containers: [String] { base.containers }

    public func records() throws(ApusError) -> RecordListing { try labelled(try base.records()) }

    public func records(keeping list: FirstListing) throws(ApusError) -> RecordListing {
        try labelled(try base.records(keeping: list))
    }

    private func labelled(_ listing: RecordListing) throws(ApusError) -> RecordListing {
        let expression = try pattern.expression()
        return RecordListing(listing.tally) { () throws(ApusError) -> ImageRecord? in
            try listing.next().map {
                var record = ImageRecord(
                    id: $0.id, label: Self.label(in: $0.id, expression), source: $0.source, timestamp: $0.timestamp)
                record.droppedBefore = $0.droppedBefore
                return record
            }
        }
    }

    /// The text of the group in the expression's first match; nil without a match or when the text is empty.
    private static func label(in id: String, _ expression: Regex<AnyRegexOutput>) -> String? {
        guard let match = try? expression.firstMatch(in: id), let range = match.output[1].range else { return nil }
        return range.isEmpty ? nil : String(id[range])
    }
}

/// A regular expression whose only group matches the label.
public struct LabelPattern: Sendable {
    private let text: String

    /// Reads a regular expression, such as `([a-z]+)-[0-9]+\.jpg`.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the expression is invalid or does not have exactly one group.
    public init(_ text: String) throws(ApusError) {
        self.text = text
        _ = try expression()
        // With an empty alternative every expression matches the empty text, and the match gives the number of groups.
        let match = try? Regex("(?:\(text))|").wholeMatch(in: "")
        guard match?.output.count == 2 else {
            throw .usage("\"\(text.printable)\" must have exactly one group in parentheses, the label")
        }
    }

    /// The compiled expression. `Regex` is not Sendable, so each listing compiles its own.
    fileprivate func expression() throws(ApusError) -> Regex<AnyRegexOutput> {
        do { return try Regex(text) } catch { throw .usage("\"\(text.printable)\" is not a regular expression") }
    }
}

extension Dataset {
    /// The same records, labelled by a part of their ids.
    public func labelled(by pattern: LabelPattern) -> LabelledDataset { LabelledDataset(self, pattern) }
}
