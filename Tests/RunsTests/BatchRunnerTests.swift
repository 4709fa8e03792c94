import Apus
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Running batches", .timeLimit(.minutes(30)))
struct BatchRunnerTests {
    @Test(
        "Answers are those of single predictions, bit by bit", arguments: [1, 3, 8],
        [(1, 1), (2, 2), (3, 1), (4, 4)])
    func equalsSingle(batch: Int, execution: (threads: Int, streams: Int)) async throws {
        let single = try await Classifier(TestedNetworks.small(), options: .init(threads: 1))
        let classifier = try await Classifier(
            TestedNetworks.small(), options: .init(threads: execution.threads, streams: execution.streams))
        let dataset = TestedDataset(count: 40)
        for isOrdered in [true, false] {
            let runner = BatchRunner(classifier, options: .init(batch: batch, isOrdered: isOrdered))
            var positions: [Int] = []
            for try await record in runner.predictions(over: dataset) {
                positions.append(record.position)
                #expect(record.id == "picture \(record.position)")
                guard case .success(let answer) = record.classification else {
                    #expect(dataset.isBad(record.position))
                    continue
                }
                let expected = try await single.predict(dataset.source(record.position))
                #expect(answer.confidences.map(\.bitPattern) == expected.confidences.map(\.bitPattern))
                #expect(answer.scores.map(\.bitPattern) == expected.scores.map(\.bitPattern))
            }
            #expect(isOrdered ? positions == Array(0..<40) : positions.sorted() == Array(0..<40))
        }
    }

    @Test("Two records with one id are refused before a row is written", arguments: [true, false])
    func refusesRepeatedIDs(isListedAhead: Bool) async throws {
        try await withTemporaryFolder { folder in
            let runner = BatchRunner(try await Classifier(TestedNetworks.small()))
            let dataset = TestedDataset(count: 30, canBeListedAhead: isListedAhead, name: { "picture \($0 % 20)" })
            let output = RunOutput(try RunReservation(path: folder.appending(path: "a.jsonl").path), as: .jsonLines)
            let error = await #expect(throws: ApusError.self) { try await runner.run(over: dataset, into: output) }
            #expect(error.map { "\($0)" }?.contains("picture 0: is given more than once") ?? false)
            // The reservation holds an empty file; the manifest comes with the first commit.
            let isWritten = FileManager.default.fileExists(atPath: folder.appending(path: "a.jsonl.run.json").path)
            #expect(isWritten != isListedAhead)
        }
    }

    @Test("Every record is in one shard, and stays there when the dataset grows")
    func shardsAreStable() async throws {
        let runner = try await Classifier(TestedNetworks.small())
        var homes: [String: Int] = [:]
        for number in 1...3 {
            let shard = try #require(Shard(number: number, count: 3))
            for try await record in BatchRunner(runner, options: .init(shard: shard)).predictions(
                over: TestedDataset(count: 60))
            {
                #expect(homes.updateValue(number, forKey: record.id) == nil)
            }
        }
        #expect(homes.count == 60)
        #expect(Set(homes.values) == [1, 2, 3])
        for (id, number) in homes { #expect(Shard(number: number, count: 3)?.contains(id) ?? false) }
        // The hash of an id is part of the format of outputs.
        #expect(
            Shard("2/4")?.contains("photos/coffee.png") == Shard(number: 2, count: 4)?.contains("photos/coffee.png"))
        for text in ["0/3", "4/3", "1", "a/b", "1/2/3", "-1/2", ""] { #expect(Shard(text) == nil, "\(text)") }
    }

    @Test("A picture that hangs is an error after its time, and the others go on")
    func hangingPicture() async throws {
        struct Hanging: Dataset {
            let gate: DispatchSemaphore

            func records() -> RecordListing {
                RecordListing(
                    (0..<12).map { [gate] index in
                        let file = ImageSource.file(TestedDataset.pictures[0])
                        return ImageRecord(
                            id: "\(index)",
                            source: index % 3 != 1
                                ? file
                                : .deferred {
                                    gate.wait()
                                    return file
                                })
                    })
            }
        }
        let gate = DispatchSemaphore(value: 0)
        let classifier = try await Classifier(TestedNetworks.small(), options: .init(threads: 1))
        let runner = BatchRunner(classifier, options: .init(batch: 4, timeout: .seconds(4)))
        var codes: [String?] = []
        for try await record in runner.predictions(over: Hanging(gate: gate)) {
            if case .failure(let error) = record.classification { codes.append(error.code) } else { codes.append(nil) }
        }
        #expect(codes == (0..<12).map { $0 % 3 == 1 ? "deadline" : nil })
        for _ in 0..<4 { gate.signal() }
        let answer = try await classifier.predict(.file(TestedDataset.pictures[0]))
        #expect(answer.confidences.count == 5)
    }

    @Test("A request to stop finishes what is begun and leaves a run to go on with", arguments: SinkKind.tested)
    func stopsAndGoesOn(kind: SinkKind) async throws {
        try await withTemporaryFolder { folder in
            let classifier = try await Classifier(TestedNetworks.small(), options: .init(threads: 2, streams: 2))
            let runner = BatchRunner(classifier, options: .init(batch: 3))
            let dataset = TestedDataset(count: 90)
            let (file, whole) = (folder.appending(path: "part"), folder.appending(path: "whole"))
            let first = try await RunReservation.taking(file) { reservation in
                let gracefulStop = GracefulStop()
                return try await runner.run(
                    over: dataset, into: RunOutput(reservation, as: kind), gracefulStop: gracefulStop
                ) {
                    if case .wrote(_, let progress) = $0, progress.done >= 20 { gracefulStop.stop() }
                }
            }
            #expect(first.state == .interrupted)
            #expect((20..<90).contains(first.done))
            let second = try await RunReservation.taking(file, resuming: true) {
                try await runner.run(over: dataset, into: RunOutput($0, as: kind))
            }
            #expect(second.state == .finished)
            #expect(second.resumed == first.done)
            #expect(second.failed == (0..<90).count { dataset.isBad($0) })
            _ = try await RunReservation.taking(whole) {
                try await runner.run(over: dataset, into: RunOutput($0, as: kind))
            }
            if kind.name != "sqlite" { #expect(try Data(contentsOf: file) == Data(contentsOf: whole)) }
            let third = try await RunReservation.taking(file, resuming: true) {
                try await runner.run(over: dataset, into: RunOutput($0, as: kind))
            }
            #expect(third.done == 90 && third.resumed == 90)
        }
    }

    @Test("With more errors than allowed a run stops behind the one too many")
    func stopsAtErrors() async throws {
        try await withTemporaryFolder { folder in
            let runner = BatchRunner(try await Classifier(TestedNetworks.small()), options: .init(batch: 16))
            let file = folder.appending(path: "a.jsonl")
            let summary = try await RunReservation.taking(file) {
                try await runner.run(
                    over: TestedDataset(count: 50), into: RunOutput($0, as: .jsonLines), maximumErrors: 2)
            }
            #expect(summary.state == .stopped)
            #expect(summary.failed == 3)
            #expect(summary.done == 18)
        }
    }
}

extension SinkKind {
    /// The kinds that can be resumed.
    static let tested: [SinkKind] = [.jsonLines, .csv, .table, .numPy, .sqlite]
}
