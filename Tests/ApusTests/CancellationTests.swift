import Apus
import Synchronization
import Testing

@Suite("Cancelling")
struct CancellationTests {
    private func isCancelled(_ result: Result<[String: Tensor], any Error>) -> Bool {
        guard case .failure(let error) = result, let error = error as? ApusError, case .cancelled = error else {
            return false
        }
        return true
    }

    @Test("A task that is cancelled already gets nothing but the error")
    func beforeItStarts() async throws {
        let session = try await Session(TestedNetworks.small())
        let image = try Tensor.random([1, 3, 16, 16], seed: 1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.predict(["image": image])
        }
        #expect(isCancelled(await task.result))
        #expect(try await session.predict(["image": image])["scores"]?.shape == [1, 5])
    }

    @Test("A run ends at the next layer, and the session goes on")
    func whileItRuns() async throws {
        let session = try await Session(TestedNetworks.slow(), options: .init(backends: [.reference], threads: 1))
        let image = try Tensor.random([1, 16, 64, 64], seed: 1)
        for _ in 0..<2 {
            let task = Task { try await session.predict(["image": image]) }
            try await Task.sleep(for: .milliseconds(50))
            task.cancel()
            #expect(isCancelled(await task.result))
        }
    }

    @Test("A task that waits for a stream leaves the queue without waiting for its turn")
    func whileItWaits() async throws {
        let session = try await Session(TestedNetworks.slow(), options: .init(backends: [.reference], threads: 1))
        let image = try Tensor.random([1, 16, 64, 64], seed: 1)
        let hasFinished = Atomic<Bool>(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let running = Task {
                defer { hasFinished.store(true, ordering: .relaxed) }
                return try await session.predict(["image": image])
            }
            try await Task.sleep(for: .milliseconds(50))
            let waiting = (0..<3).map { _ in Task { try await session.predict(["image": image]) } }
            try await Task.sleep(for: .milliseconds(50))
            for task in waiting { task.cancel() }
            for task in waiting { #expect(isCancelled(await task.result)) }
            #expect(!hasFinished.load(ordering: .relaxed))
            running.cancel()
            #expect(isCancelled(await running.result))
        }
    }

    @Test("Cancelling at any moment leaves no task behind and no stream lost")
    func atAnyMoment() async throws {
        let session = try await Session(TestedNetworks.small(), options: .init(threads: 2, streams: 2))
        let image = try Tensor.random([1, 3, 16, 16], seed: 1)
        let expected = try #require(try await session.predict(["image": image])["scores"]).bits
        for round in 0..<200 {
            let tasks = (0..<6).map { _ in Task { try await session.predict(["image": image]) } }
            if round % 2 == 0 { await Task.yield() }
            for task in tasks[0..<3] { task.cancel() }
            for (index, task) in tasks.enumerated() {
                switch await task.result {
                case .success(let answer): #expect(answer["scores"]?.bits == expected)
                case .failure(let error):
                    #expect(index < 3 && isCancelled(.failure(error)), "round \(round), task \(index): \(error)")
                }
            }
        }
        // Both streams are still there: two runs that need one each come back.
        async let first = session.predict(["image": image])
        async let second = session.predict(["image": image])
        #expect(try await [first["scores"]?.bits, second["scores"]?.bits] == [expected, expected])
    }
}
