import Platform

/// An iterator over a dataset's records that reads them on demand, so that memory does not grow with the dataset.
///
/// ``next()`` blocks its thread while files or pipes are read; `for try await record in listing` reads on a separate
/// thread. Several threads may call it: each record is returned once.
public final class RecordListing: @unchecked Sendable {
    // Guards `step`, whose state only this listing uses.
    private let lock = Condition()
    private var step: (() throws(ApusError) -> ImageRecord?)?
    package let tally: SkippedFileCounter

    /// The files of folders that were passed over so far.
    public var passedOver: SkippedFiles { tally.value }

    /// Makes a listing from a function that gives the next record; nil after the last.
    public convenience init(_ next: sending @escaping () throws(ApusError) -> ImageRecord?) {
        self.init(SkippedFileCounter(), next)
    }

    /// Makes a listing that counts what it passes over.
    package init(_ tally: SkippedFileCounter, _ next: sending @escaping () throws(ApusError) -> ImageRecord?) {
        self.tally = tally
        step = next
    }

    /// The listing, which ends with an error where it has no record.
    ///
    /// - Parameters:
    ///   - name: The file, or what else is listed, for the error.
    ///   - message: What is missing.
    func refusingNothing(in name: String, _ message: String = "holds no pictures") -> RecordListing {
        var isEmpty = true
        return RecordListing(tally) { () throws(ApusError) -> ImageRecord? in
            let record = try self.next()
            if record == nil, isEmpty, !GracefulStop.isEnding { throw .file(path: name, message: message) }
            isEmpty = false
            return record
        }
    }

    /// Makes a listing of records in memory.
    public convenience init(_ records: some Collection<ImageRecord> & Sendable) {
        var rest = records[...]
        self.init { () throws(ApusError) -> ImageRecord? in rest.popFirst() }
    }

    /// The next record; nil after the last, and after an error.
    ///
    /// - Throws: ``ApusError`` when the listing cannot go on, such as at a damaged line of a manifest. A single
    ///   unreadable picture is a record with ``ImageSource/failure(_:)`` instead.
    public func next() throws(ApusError) -> ImageRecord? {
        lock.lock()
        defer { lock.unlock() }
        guard let step else { return nil }
        do {
            if let record = try step() { return record }
            self.step = nil
            return nil
        } catch {
            self.step = nil
            throw error
        }
    }

    /// Up to `count` of the next records; none after the last.
    public func next(_ count: Int) throws(ApusError) -> [ImageRecord] {
        var records: [ImageRecord] = []
        while records.count < count, let record = try next() { records.append(record) }
        return records
    }
}

extension RecordListing {
    /// How long the calling task waits for a record that another program makes; nil for no limit.
    @TaskLocal package static var limit: Duration?
}

extension RecordListing: AsyncSequence {
    /// Makes an iterator that reads on a separate thread.
    public func makeAsyncIterator() -> Iterator { Iterator(listing: self) }

    /// An iterator over the remaining records of the listing.
    public struct Iterator: AsyncIteratorProtocol {
        private let listing: RecordListing
        private var executor: BlockingExecutor?

        package init(listing: RecordListing) { self.listing = listing }

        /// The next record; nil after the last.
        ///
        /// - Throws: ``ApusError``; `CancellationError` when the task is cancelled before the thread reads.
        public mutating func next() async throws -> ImageRecord? {
            let executor = try self.executor ?? BlockingExecutor(name: "apus-listing", role: .tasks(threadCount: 1))
            self.executor = executor
            return try await executor.run { [listing] in try listing.next() }
        }
    }
}
