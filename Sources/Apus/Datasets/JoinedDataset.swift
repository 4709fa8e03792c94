/// Datasets one after the other.
public struct JoinedDataset: Dataset {
    private let datasets: [any Dataset]

    init(_ datasets: [any Dataset]) { self.datasets = datasets }

    public var canBeListedAhead: Bool { datasets.allSatisfy(\.canBeListedAhead) }

    public var containers: [String] { datasets.flatMap(\.containers) }

    public func records() throws(ApusError) -> RecordListing {
        var rest = datasets[...]
        var current: RecordListing?
        return RecordListing { () throws(ApusError) -> ImageRecord? in
            while true {
                if let record = try current?.next() { return record }
                guard let next = rest.popFirst() else { return nil }
                current = try next.records()
            }
        }
    }
}

extension Dataset where Self == JoinedDataset {
    /// Datasets one after the other.
    public static func joined(_ datasets: [any Dataset]) -> JoinedDataset { JoinedDataset(datasets) }
}
