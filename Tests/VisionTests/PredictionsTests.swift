import Apus
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Going through datasets")
struct PredictionsTests {
    /// Pictures in memory, some of which are damaged.
    private struct Pictures: Dataset {
        let count: Int
        let isBad: @Sendable (Int) -> Bool

        func records() throws(ApusError) -> RecordListing {
            let bytes: Data
            do {
                bytes = try Data(contentsOf: TestedNetworks.fixtures.appending(path: "images/color-420.jpg"))
            } catch {
                throw .file(path: "images/color-420.jpg", message: "\(error)")
            }
            return RecordListing(
                (0..<count).map { index in
                    ImageRecord(id: "picture \(index)", source: .data(isBad(index) ? bytes.prefix(40) : bytes))
                })
        }
    }

    /// A dataset that cannot be listed.
    private struct Broken: Dataset {
        func records() throws(ApusError) -> RecordListing { throw .file(path: "nowhere", message: "cannot be listed") }
    }

    /// Inputs that count how many were requested, and how many loops over them are active.
    private struct CountedInputs: AsyncSequence, Sendable {
        final class Tally: Sendable {
            let taken = Atomic<Int>(0)
            let loops = Atomic<Int>(0)
        }

        final class Iterator: AsyncIteratorProtocol {
            private let tally: Tally
            private let image: Tensor
            private var rest: Int

            init(_ inputs: CountedInputs) {
                (tally, image, rest) = (inputs.tally, inputs.image, inputs.count)
                tally.loops.add(1, ordering: .relaxed)
            }

            deinit { tally.loops.subtract(1, ordering: .relaxed) }

            func next() async throws -> [String: Tensor]? {
                guard rest > 0 else { return nil }
                rest -= 1
                tally.taken.add(1, ordering: .relaxed)
                return ["image": image]
            }
        }

        let count: Int
        let image: Tensor
        let tally = Tally()

        func makeAsyncIterator() -> Iterator { Iterator(self) }
    }

    @Test("Answers come in order, with an error for every picture at fault", arguments: [1, 3, 32], [1, 2])
    func keepsOrder(batch: Int, streams: Int) async throws {
        let classifier = try await Classifier(TestedNetworks.small(), options: .init(threads: 2, streams: streams))
        let pictures = Pictures(count: 50) { $0 % 7 == 3 }
        var count = 0
        for try await record in classifier.predictions(over: pictures, batch: batch) {
            #expect(record.id == "picture \(count)")
            switch record.classification {
            case .success(let answer): #expect(count % 7 != 3 && answer.confidences.count == 5, "\(record.id)")
            case .failure(let error): #expect(count % 7 == 3 && error.stage == "decode", "\(record.id): \(error)")
            }
            count += 1
        }
        #expect(count == 50)
    }

    @Test("A dataset without records has no answers; one that cannot be listed is an error")
    func endsOrFails() async throws {
        let classifier = try await Classifier(TestedNetworks.small())
        for try await record in classifier.predictions(over: Pictures(count: 0) { _ in false }) {
            Issue.record("\(record.id)")
        }
        let error = await #expect(throws: ApusError.self) {
            for try await record in classifier.predictions(over: Broken()) { Issue.record("\(record.id)") }
        }
        #expect(error.map { "\($0)" } == "nowhere: cannot be listed")
    }

    @Test("Memory does not grow with the dataset")
    func isBounded() async throws {
        let budget = MemoryBudget(limit: 1 << 24)
        let classifier = try await Classifier(
            TestedNetworks.small(), options: .init(threads: 2, memoryBudget: budget))
        var peaks: [Int] = []
        for try await record in classifier.predictions(over: Pictures(count: 300) { _ in false }, batch: 4) {
            #expect((try? record.classification.get()) != nil, "\(record.id)")
            peaks.append(budget.bytesInUse)
        }
        #expect(peaks.count == 300)
        let (early, late) = (peaks[..<60].max() ?? 0, peaks[240...].max() ?? 0)
        // Two batches in flight may have answers waiting: a few hundred bytes each.
        #expect(late <= early + 1024)
    }

    @Test("No more inputs are taken ahead than may be in flight", arguments: [1, 2, 5])
    func isPaced(limit: Int) async throws {
        let session = try await Session(TestedNetworks.small())
        let inputs = CountedInputs(count: 40, image: try .random([1, 3, 16, 16], seed: 1))
        var received = 0
        for try await outputs in session.predictions(for: inputs, inFlight: limit) {
            received += 1
            #expect(outputs["scores"]?.shape == [1, 5])
            if received % 8 == 0 { try await Task.sleep(for: .milliseconds(20)) }
            let taken = inputs.tally.taken.load(ordering: .relaxed)
            #expect(taken <= received + limit, "\(taken) taken after \(received) answers")
        }
        #expect(received == 40)
    }

    @Test("Leaving the loop ends the work ahead")
    func endsEarly() async throws {
        let session = try await Session(TestedNetworks.small())
        let inputs = CountedInputs(count: 1_000_000, image: try .random([1, 3, 16, 16], seed: 1))
        var received = 0
        for try await _ in session.predictions(for: inputs, inFlight: 3) {
            received += 1
            if received == 5 { break }
        }
        for _ in 0..<6000 where inputs.tally.loops.load(ordering: .relaxed) > 0 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(inputs.tally.loops.load(ordering: .relaxed) == 0, "the inputs are still being gone through")
        #expect(inputs.tally.taken.load(ordering: .relaxed) <= 5 + 3 + 1)
    }

    @Test("A task that is cancelled leaves its loop with an error")
    func endsWhenCancelled() async throws {
        let session = try await Session(TestedNetworks.small())
        // Only cancellation ends it.
        let inputs = CountedInputs(count: .max, image: try .random([1, 3, 16, 16], seed: 1))
        let (answers, answered) = AsyncStream<Void>.makeStream()
        let task = Task {
            for try await _ in session.predictions(for: inputs, inFlight: 2) { answered.yield() }
        }
        for await _ in answers { break }
        task.cancel()
        let result = await task.result
        #expect(throws: (any Error).self) { try result.get() }
    }
}
