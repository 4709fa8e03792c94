import Platform

/// Datasets one after the other.
public struct JoinedDataset: Dataset {
    private let datasets: [any Dataset]

    package init(_ datasets: [any Dataset]) { self.datasets = datasets }

    public var canBeListedAhead: Bool { datasets.allSatisfy(\.canBeListedAhead) }

    public var folders: [String] { datasets.flatMap(\.folders) }

    public var keepsFirstListing: Bool { datasets.contains(where: \.keepsFirstListing) }

    public func takes(_ path: String) -> Bool { datasets.contains { $0.takes(path) } }

    public var containers: [String] { datasets.flatMap(\.containers) }

    public func records() throws(ApusError) -> RecordListing {
        records { dataset throws(ApusError) in try dataset.records() }
    }

    public func records(keeping list: FirstListing) throws(ApusError) -> RecordListing {
        records { dataset throws(ApusError) in try dataset.records(keeping: list) }
    }

    private func records(
        _ begin: @escaping @Sendable (any Dataset) throws(ApusError) -> RecordListing
    ) -> RecordListing {
        var rest = datasets[...]
        var current: RecordListing?
        let tally = SkippedFileCounter()
        return RecordListing(tally) { () throws(ApusError) -> ImageRecord? in
            while true {
                if let record = try current?.next() { return record }
                if let current { tally.merge(current.passedOver) }
                current = nil
                guard let next = rest.popFirst() else { return nil }
                current = try begin(next)
            }
        }
    }
}

extension Dataset where Self == JoinedDataset {
    /// Datasets one after the other.
    public static func joined(_ datasets: [any Dataset]) -> JoinedDataset { JoinedDataset(datasets) }
}
