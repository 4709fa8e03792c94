import Foundation
import Platform

/// Records on the way from a live source to who predicts them, of which only the latest wait.
final class LatestRecords: @unchecked Sendable {
    private let limit: Int
    // Everything is guarded by `condition`.
    private let condition = NSCondition()
    private var waiting: [ImageRecord] = []
    private var isFinished = false
    private var isUnwanted = false
    private var error: ApusError?

    init(limit: Int) { self.limit = limit }

    /// Adds a record, in place of the oldest where too many wait.
    ///
    /// - Returns: Whether records are still wanted.
    func append(_ record: ImageRecord) -> Bool {
        condition.withLock {
            waiting.append(record)
            if waiting.count > limit {
                let dropped = waiting.removeFirst()
                waiting[0].droppedBefore += dropped.droppedBefore + 1
            }
            condition.signal()
            return !isUnwanted
        }
    }

    /// Says that no record follows, or why.
    func finish(_ error: ApusError?) {
        condition.withLock {
            self.error = error
            isFinished = true
            condition.signal()
        }
    }

    /// Takes records until the last reference to it goes; then the source is left.
    final class Reader {
        private let records: LatestRecords

        init(_ records: LatestRecords) { self.records = records }

        deinit { records.condition.withLock { records.isUnwanted = true } }

        /// Waits for the oldest record; nil after the last.
        func next() throws(ApusError) -> ImageRecord? {
            records.condition.lock()
            defer { records.condition.unlock() }
            while records.waiting.isEmpty {
                if let error = records.error { throw error }
                if records.isFinished { return nil }
                records.condition.wait()
            }
            return records.waiting.removeFirst()
        }
    }
}
