import Platform

/// A queue between a live source and prediction that holds only the latest records.
final class LatestRecords: @unchecked Sendable {
    private let limit: Int
    // Everything is guarded by `condition`.
    private let condition = Condition()
    private var waiting: [ImageRecord] = []
    private var isFinished = false
    private var isUnwanted = false
    private var error: ApusError?

    init(limit: Int) { self.limit = limit }

    /// Adds a record; when the queue is full, the record replaces the oldest one.
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

    /// Ends the queue, with the error that ended the source if there is one.
    func finish(_ error: ApusError?) {
        condition.withLock {
            self.error = error
            isFinished = true
            condition.signal()
        }
    }

    /// Takes records from the queue. When the last reference to the reader goes, the source stops.
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
