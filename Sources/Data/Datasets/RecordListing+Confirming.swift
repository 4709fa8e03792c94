import Platform

extension RecordListing {
    /// The listing, which ends with an error where its records are not those of an earlier one, as when a list is
    /// rewritten while a run reads it.
    ///
    /// - Parameters:
    ///   - survey: What the earlier listing found.
    ///   - containers: The files that hold the list, for the error.
    package func confirming(_ survey: DatasetSurvey, of containers: [String]) -> RecordListing {
        let count = survey.recordCount
        let name = containers.isEmpty ? "the inputs" : containers.joined(separator: ", ")
        func changed(_ how: String) -> ApusError { .file(path: name, message: "changed during the run: \(how)") }
        var (found, ids, fingerprint) = (0, RecordIDs(), IDFingerprint())
        return RecordListing(tally) { () throws(ApusError) -> ImageRecord? in
            guard let record = try self.next() else {
                if GracefulStop.isEnding { return nil }
                guard found == count else { throw changed("there were \(count) records, and are \(found)") }
                guard fingerprint.value == survey.fingerprint else {
                    throw changed("its records are others than before, or in another order")
                }
                return nil
            }
            found += 1
            do { try ids.insert(record.id) } catch { throw changed("\(error)") }
            fingerprint.add(record.id)
            return record
        }
    }
}
