import Apus
import CApus
import Dispatch
import Synchronization

/// The rows of a dataset, which are computed some batches ahead of the caller.
final class RowsObject: HandleObject {
    static let kind = "list of rows"

    private let rows: SinkKind.RowOptions
    private let channel = RowChannel()
    private let task: Task<Void, Never>

    init(_ predictor: PredictorObject, _ dataset: any Dataset, _ options: InterfaceOptions) throws {
        ProcessGuard.willStartThreads()
        rows = options.rowOptions(predictor.predictor.content)
        let records = try predictor.runner(options).predictions(over: dataset)
        task = Task.detached { [channel] in
            do {
                for try await record in records { await channel.send(record) }
                channel.finish(.success(()))
            } catch {
                channel.finish(.failure(error))
            }
        }
    }

    deinit { task.cancel() }

    /// The next answer; nil behind the last one.
    func next() throws -> AnswerObject? { try channel.next().map { AnswerObject($0, rows) } }

    /// Waits until ``next()`` has something to give at once.
    ///
    /// - Throws: That the time has passed.
    func wait(_ seconds: Double) throws(InterfaceError) {
        guard channel.wait(until: try deadline(seconds)) else { throw .timeout("the next row is not there yet") }
    }
}

/// Hands records from one task to callers that ask for them; some wait to be asked for.
private final class RowChannel: Sendable {
    private struct State {
        var records: [PredictionRecord<ImageAnswer>] = []
        /// How the rows ended.
        var end: Result<Void, any Error>?
        /// The task that waits for room.
        var sender: CheckedContinuation<Void, Never>?
    }

    /// The most records that wait to be asked for.
    private static let capacity = 16

    private let state = Mutex(State())
    /// Counts the records, and the end as one more.
    private let available = DispatchSemaphore(value: 0)

    func send(_ record: PredictionRecord<ImageAnswer>) async {
        let isFull = state.withLock { state in
            state.records.append(record)
            return state.records.count >= Self.capacity
        }
        available.signal()
        guard isFull else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { sender in
                let mayGo = state.withLock { state in
                    let mayGo = state.records.count < Self.capacity || Task.isCancelled
                    if !mayGo { state.sender = sender }
                    return mayGo
                }
                if mayGo { sender.resume() }
            }
        } onCancel: {
            letSenderGo()
        }
    }

    func finish(_ end: Result<Void, any Error>) {
        state.withLock { $0.end = end }
        available.signal()
    }

    /// The next record; nil behind the last one.
    func next() throws -> PredictionRecord<ImageAnswer>? {
        available.wait()
        let record = state.withLock { $0.records.isEmpty ? nil : $0.records.removeFirst() }
        if let record {
            letSenderGo()
            return record
        }
        // The end stays the next thing to be had.
        available.signal()
        try state.withLock { $0.end }?.get()
        return nil
    }

    /// Whether ``next()`` would not have to wait, at the latest at a time.
    func wait(until end: DispatchTime) -> Bool {
        guard available.wait(timeout: end) == .success else { return false }
        available.signal()
        return true
    }

    private func letSenderGo() {
        let sender = state.withLock { state in
            defer { state.sender = nil }
            return state.sender
        }
        sender?.resume()
    }
}
