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

    public var keepsFirstListing: Bool { base.keepsFirstListing }

    public func takes(_ path: String) -> Bool { base.takes(path) }

    public var containers: [String] { base.containers }

    public func records() throws(ApusError) -> RecordListing { labelled(try base.records()) }

    public func records(keeping list: FirstListing) throws(ApusError) -> RecordListing {
        labelled(try base.records(keeping: list))
    }

    private func labelled(_ listing: RecordListing) -> RecordListing {
        RecordListing(listing.tally) { [expression = pattern.expression] () throws(ApusError) -> ImageRecord? in
            guard let base = try listing.next() else { return nil }
            let label = try expression.group(in: base.id)
            var record = ImageRecord(
                id: base.id, label: label?.isEmpty == false ? label : nil, source: base.source,
                timestamp: base.timestamp)
            record.inputs = base.inputs
            record.droppedBefore = base.droppedBefore
            return record
        }
    }
}

/// A regular expression whose only group matches the label.
///
/// It is matched in one pass over an id, however it is written. So it cannot repeat the text of a group (`\1`), look
/// ahead or back (`(?=…)`), or repeat without giving back (`a++`).
public struct LabelPattern: Sendable {
    fileprivate let expression: LinearExpression

    /// Reads a regular expression, such as `([a-z]+)-[0-9]+\.jpg`.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the expression is invalid, has a part that takes more than one pass, or
    ///   does not have exactly one group.
    public init(_ text: String) throws(ApusError) {
        do {
            expression = try LinearExpression(text)
        } catch {
            throw .usage(
                "\"\(text.printable)\" is not a regular expression that is read: it \(error.message.printable)")
        }
    }
}

extension Dataset {
    /// The same records, labelled by a part of their ids.
    public func labelled(by pattern: LabelPattern) -> LabelledDataset { LabelledDataset(self, pattern) }
}
