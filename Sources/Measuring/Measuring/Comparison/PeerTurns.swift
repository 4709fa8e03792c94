import FoundationEssentials
import Platform
import Synchronization
import Tensors

/// The other engines of a comparison, which take turns with its configurations. One that fails is left out from then
/// on, with its reason.
final class PeerTurns: Sendable {
    private struct Turn {
        var process: PeerProcess?
        var result: Comparison.PeerResult
        var seconds: [Double] = []
        var roundMedians: [Double] = []
        var idleBytes = 0

        /// Ends the engine; of its result, the name, the version and the reason stay.
        mutating func fail(_ reason: String) {
            process = nil
            result = Comparison.PeerResult(name: result.name, version: result.version, failure: reason)
        }
    }

    private let turns: Mutex<[Turn]>
    private let folder: URL
    private let executor: BlockingExecutor

    /// Starts the engines, and loads the network into each.
    ///
    /// - Parameters:
    ///   - model: The path of a file that the engines read, or why it could not be written.
    ///   - inputs: The inputs of every run.
    init(
        _ peers: [Peer], model: Result<String, ApusError>, inputs: [(name: String, tensor: Tensor)], threads: Int
    ) async throws {
        executor = try BlockingExecutor(name: "apus-peers", role: .tasks(threadCount: 1))
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-peers-\(UUID().uuidString)")
        self.folder = folder
        turns = Mutex(peers.map { Turn(result: Comparison.PeerResult(name: $0.name)) })
        try await forEach { index, turn in
            let model = try model.mapError { PeerProcess.Failure(message: $0.description) }.get()
            guard peers[index].engine == .litert || !model.hasSuffix(".tflite"),
                peers[index].engine != .litert || model.hasSuffix(".tflite")
            else { throw PeerProcess.Failure(message: "it reads .\(peers[index].engine.fileExtension) files alone") }
            let own = folder.appending(path: "\(index)")
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            let process = try PeerProcess(peers[index], model: model, folder: own, inputs: inputs, threads: threads)
            let loaded = try process.load()
            turn.process = process
            turn.idleBytes = loaded.idleBytes
            (turn.result.version, turn.result.loadSeconds) = (loaded.version, loaded.loadSeconds)
        }
    }

    deinit {
        turns.withLock { $0 = [] }
        try? FileManager.default.removeItem(at: folder)
    }

    var results: [Comparison.PeerResult] { turns.withLock { $0.map(\.result) } }

    /// Runs each engine for a time.
    func measure(for duration: Double) async throws {
        try await forEach { _, turn in
            guard let timed = try turn.process?.time(seconds: duration) else { return }
            turn.seconds += timed.seconds
            turn.roundMedians.append(TimeStatistics(seconds: timed.seconds)?.p50 ?? .nan)
            turn.result.modelBytes = max(0, timed.peakBytes - turn.idleBytes)
        }
    }

    /// Compares outputs, and adds up the times.
    ///
    /// - Parameters:
    ///   - expected: The outputs of the first configuration, in the network's order; empty to compare nothing.
    ///   - firstMedians: Its medians, round by round.
    func finish(_ expected: [(name: String, tensor: Tensor)], firstMedians: [Double]) async throws {
        try await forEach { _, turn in
            guard let process = turn.process else { return }
            turn.result.latency = TimeStatistics(seconds: turn.seconds)
            turn.result.ratio = Comparison.Ratio(turn.roundMedians, to: firstMedians)
            guard !expected.isEmpty else { return }
            let found = try process.outputs()
            guard found.count == expected.count else {
                throw PeerProcess.Failure(message: "it has \(found.count) outputs, not \(expected.count)")
            }
            var error = 0.0
            for (index, output) in expected.enumerated() {
                // Converted files may name outputs otherwise.
                let same = found.first { $0.name == output.name } ?? found[index]
                let agreement = Agreement(same.numbers, reference: output.tensor.elements(as: Double.self))
                error = max(error, agreement.largestRelativeError)
            }
            turn.result.largestRelativeError = error
        }
    }

    private func forEach(_ body: @escaping @Sendable (Int, inout Turn) throws -> Void) async throws {
        try await executor.run { [self] in
            try turns.withLock { turns in
                for index in turns.indices where turns[index].result.failure == nil {
                    do { try body(index, &turns[index]) } catch let error as ApusError {
                        throw error
                    } catch {
                        let failure = error as? PeerProcess.Failure
                        turns[index].fail(failure?.message ?? "\(error)".printable)
                    }
                }
            }
        }
    }
}
