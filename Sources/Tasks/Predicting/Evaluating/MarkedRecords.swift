import Datasets
import Platform
import Preparation
import Synchronization

/// The records of a dataset of which the truth is known, kept with it until their answers arrive.
package final class MarkedRecords<Truth: Sendable>: Dataset {
    private struct State {
        var waiting: [(truth: Truth, source: ImageSource)] = []
        var unmarkedCount = 0
    }

    private let base: any Dataset
    private let truth: @Sendable (ImageRecord) throws(ApusError) -> Truth?
    private let state = Mutex(State())

    /// - Parameter truth: What is true of a record; nil where that is not known.
    package init(_ base: any Dataset, _ truth: @escaping @Sendable (ImageRecord) throws(ApusError) -> Truth?) {
        (self.base, self.truth) = (base, truth)
    }

    /// The number of records so far of which the truth is not known.
    package var unmarkedCount: Int { state.withLock { $0.unmarkedCount } }

    package func records() throws(ApusError) -> RecordListing {
        let listing = try base.records()
        return RecordListing { [self] () throws(ApusError) -> ImageRecord? in
            while let record = try listing.next() {
                if let known = try truth(record) {
                    state.withLock { $0.waiting.append((known, record.source)) }
                    return record
                }
                state.withLock { $0.unmarkedCount += 1 }
            }
            return nil
        }
    }

    /// Removes what is true of the oldest listed record, whose answer has arrived.
    package func takeFirst() throws(ApusError) -> (truth: Truth, source: ImageSource) {
        guard let first = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else {
            throw .bug("an answer to no record")
        }
        return first
    }
}
