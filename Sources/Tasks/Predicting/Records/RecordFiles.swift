import FoundationEssentials
import Platform

/// Files that a run writes beside its rows, one for each record, before the row that counts it is committed.
package protocol RecordFiles: Sendable {
    /// The folder of the files.
    var folder: RecordFolder { get }
    /// The name under which rows have the file's path within the folder; nil where they do not name it.
    var key: String? { get }
    /// Whether the decoded picture is needed.
    var keepsImage: Bool { get }

    /// The file of a record; nil where it has none.
    func content(of record: PredictionRecord<ImageAnswer>) throws -> Data?
}

extension RecordFiles {
    /// Writes the files of records. One that cannot be made or written becomes an error of its record.
    ///
    /// - Parameter executor: The threads on which contents are made, those of several records at a time.
    /// - Throws: ``OutputError/failed(name:message:)`` when the disk is full or fails; `CancellationError`.
    package func write(
        _ records: [PredictionRecord<ImageAnswer>], on executor: BlockingExecutor
    ) async throws -> [PredictionRecord<ImageAnswer>] {
        let contents = try await withThrowingTaskGroup(of: (Int, Result<Data?, any Error>).self) { group in
            for (index, record) in records.enumerated() {
                group.addTask {
                    (index, try await executor.run { Result { try content(of: record) } })
                }
            }
            return try await group.reduce(into: [Int: Result<Data?, any Error>]()) { $0[$1.0] = $1.1 }
        }
        return try await executor.run {
            var records = records
            for index in records.indices {
                guard let result = contents[index]?.present() else { continue }
                switch try folder.write(result, of: records[index]) {
                case .success(let path): if let key { records[index].files[key] = path }
                case .failure(let error): records[index].answer = .failure(error)
                }
            }
            return records
        }
    }
}

extension Result where Failure == any Error {
    /// The result without its optional; nil for the success of nothing.
    fileprivate func present<Wrapped>() -> Result<Wrapped, any Error>? where Success == Wrapped? {
        switch self {
        case .success(let value): value.map { .success($0) }
        case .failure(let error): .failure(error)
        }
    }
}
