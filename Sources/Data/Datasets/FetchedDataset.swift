import Platform

/// A picture that a command fetches by its name.
struct FetchedDataset: Dataset {
    let name: String
    let command: FetchCommand

    func records() throws(ApusError) -> RecordListing {
        RecordListing([ImageRecord(id: name, source: FetchCommand.source(of: name, command))])
    }
}
