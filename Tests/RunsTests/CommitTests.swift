import Apus
import Foundation
import Graphs
import SQLite
import Synchronization
import SynchronizationFaults
import TestSupport
import Testing

@Suite("Committing rows", .timeLimit(.minutes(30)))
struct CommitTests {
    private func run(
        _ file: URL, resuming: Bool = false, rows: Int = 5, calls: SystemCalls = SystemCalls(),
        as kind: SinkKind = .jsonLines, maximumErrors: Int? = nil
    ) async throws -> RunSummary {
        let runner = BatchRunner(try await Classifier(TestedNetworks.small()), options: .init(batch: 4))
        return try await RunReservation.taking(file, resuming: resuming) { reservation in
            var output = RunOutput(reservation, as: kind)
            output.commits = CommitPolicy(rowCount: rows)
            output.calls = calls
            return try await runner.run(over: TestedDataset(count: 60), into: output, maximumErrors: maximumErrors)
        }
    }

    @Test(
        "A failed fsync ends the run at once and is not tried again; resuming repeats what it was about",
        arguments: [SinkKind.jsonLines, .csv, .table, .numPy], [1, 2, 3, 4, 5, 9, 14])
    func failedSynchronization(kind: SinkKind, failing: Int) async throws {
        try await withTemporaryFolder { folder in
            let whole = folder.appending(path: "whole")
            _ = try await run(whole, as: kind)
            let file = folder.appending(path: "rows")
            let count = Mutex(0)
            var calls = SystemCalls()
            calls.synchronize = { descriptor in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number == failing else { return fsync(descriptor) }
                errno = EIO
                return -1
            }
            let failure = calls
            let error = await #expect(throws: OutputError.self) { try await run(file, calls: failure, as: kind) }
            #expect(error.map { "\($0)" }?.contains("fsync: Input/output error") ?? false)
            #expect(count.withLock { $0 } == failing)
            _ = try await run(file, resuming: true, as: kind)
            #expect(try Data(contentsOf: file) == Data(contentsOf: whole))
        }
    }

    @Test("A failed fsync of a database ends the run at once; resuming gives every row once")
    func failedSynchronizationOfDatabase() async throws {
        for failing in [1, 2, 4, 7] {
            try await withTemporaryFolder { folder in
                let file = folder.resolvingSymlinksInPath().appending(path: "rows.sqlite")
                apus_fail_synchronization(file.path, Int32(failing))
                let error = await #expect(throws: OutputError.self) { try await run(file, as: .sqlite) }
                #expect(error.map { "\($0)" }?.contains("SQLite: ") ?? false, "\(error.map { "\($0)" } ?? "")")
                #expect(apus_stop_failing_synchronization() >= failing)
                let summary = try await run(file, resuming: true, as: .sqlite)
                #expect(summary.state == .finished && summary.done == 60)
                let rows = try Database(path: file.path).rows("SELECT id FROM records ORDER BY id") { $0[0].integer }
                #expect(rows == Array(0..<60))
            }
        }
    }

    @Test("A database that an earlier version began goes on, and the sums of its manifest stay valid")
    func earlierDatabase() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.resolvingSymlinksInPath().appending(path: "rows.sqlite")
            func removeColumns() throws {
                let database = try Database(path: file.path)
                for column in ["warning", "width", "height", "time"] {
                    try database.execute("ALTER TABLE records DROP COLUMN \(column)")
                }
                try database.close()
            }
            let stopped = try await run(file, as: .sqlite, maximumErrors: 2)
            #expect(stopped.state == .stopped && (1..<60).contains(stopped.done))
            try removeColumns()
            let summary = try await run(file, resuming: true, as: .sqlite)
            #expect(summary.state == .finished && summary.done == 60)
            let manifest = try #require(try RunManifest.read(besideOutput: file.path))
            try manifest.verify(output: file.path)
            try removeColumns()
            try manifest.verify(output: file.path)
        }
    }

    @Test("A full disk leaves whole rows that are committed, and the run goes on from there", arguments: 0..<12)
    func fullDisk(round: Int) async throws {
        try await withTemporaryFolder { folder in
            let whole = folder.appending(path: "whole")
            _ = try await run(whole)
            let file = folder.appending(path: "rows")
            // Manifests use a part of it too.
            let left = Mutex(3000 + round * 2711)
            var calls = SystemCalls()
            calls.write = { descriptor, bytes in
                let room = left.withLock { left in
                    let room = min(left, bytes.count)
                    left -= room
                    return room
                }
                guard room > 0 || bytes.isEmpty else {
                    errno = ENOSPC
                    return -1
                }
                return Foundation.write(descriptor, bytes.baseAddress, room)
            }
            let full = calls
            do {
                _ = try await run(file, calls: full)
            } catch OutputError.failed(_, let message) {
                #expect(message.hasPrefix("No space left on device"))
            }
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            #expect(text.isEmpty || text.hasSuffix("\n"))
            _ = try await run(file, resuming: true)
            #expect(try Data(contentsOf: file) == Data(contentsOf: whole))
        }
    }

    @Test("What lies behind the last commit is cut off, even if it looks like rows")
    func tornTail() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "rows.jsonl")
            let whole = try await run(folder.appending(path: "whole.jsonl"))
            let runner = BatchRunner(try await Classifier(TestedNetworks.small()), options: .init(batch: 4))
            let gracefulStop = GracefulStop()
            try await RunReservation.taking(file) { reservation in
                _ = try await runner.run(
                    over: TestedDataset(count: 60), into: RunOutput(reservation, as: .jsonLines),
                    gracefulStop: gracefulStop
                ) {
                    if case .wrote = $0 { gracefulStop.stop() }
                }
            }
            let handle = try FileHandle(forWritingTo: file)
            try handle.seekToEnd()
            try handle.write(
                contentsOf: Data("{\"id\":\"picture 40\",\"predictions\":[],\"error\":null}\n\0\0\0{\"id".utf8))
            try handle.close()
            #expect(try await run(file, resuming: true).done == whole.done)
            #expect(try Data(contentsOf: file) == Data(contentsOf: folder.appending(path: "whole.jsonl")))
        }
    }

    @Test("An output that lost committed rows is refused")
    func lostRows() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "rows.jsonl")
            let runner = BatchRunner(try await Classifier(TestedNetworks.small()), options: .init(batch: 4))
            let gracefulStop = GracefulStop()
            try await RunReservation.taking(file) { reservation in
                _ = try await runner.run(
                    over: TestedDataset(count: 60), into: RunOutput(reservation, as: .jsonLines),
                    gracefulStop: gracefulStop
                ) {
                    if case .wrote = $0 { gracefulStop.stop() }
                }
            }
            try Data(try Data(contentsOf: file).dropLast()).write(to: file)
            let error = await #expect(throws: OutputError.self) { try await run(file, resuming: true) }
            #expect(error.map { "\($0)" }?.contains("that were committed") ?? false)
        }
    }

    @Test("An output has one writer at a time")
    func isExclusive() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)").path
        let first = try RunReservation(path: path)
        let error = #expect(throws: ApusError.self) { try RunReservation(path: path) }
        #expect(error.map { "\($0)" }?.contains("is being written by process \(getpid())") ?? false)
        withExtendedLifetime(first) {}
    }

    @Test("Finished records are counted like a set of numbers, in any order", arguments: 1...8)
    func finishedRecords(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var finished = FinishedRecords()
        var expected: Set<Int> = []
        for _ in 0..<300 {
            let position = Int.random(in: 0..<200, using: &generator)
            finished.insert(position)
            expected.insert(position)
        }
        #expect(finished.count == expected.count)
        for position in -1..<201 { #expect(finished.contains(position) == expected.contains(position)) }
        #expect(zip(finished.ranges, finished.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        let copy = try JSONDecoder().decode(FinishedRecords.self, from: JSONEncoder().encode(finished))
        #expect(copy == finished)
    }
}
