import Apus
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Cancelling", .timeLimit(.minutes(30)))
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
        let calls = Mutex<[String]>([])
        let cancel = Mutex<(@Sendable () -> Void)?>(nil)
        let isReady = DispatchSemaphore(value: 0)
        let model = try TestedNetworks.calling([
            {
                isReady.wait()
                calls.withLock { $0.append("first") }
                cancel.withLock { $0 }?()
            },
            { calls.withLock { $0.append("second") } },
        ])
        let session = try await Session(model, options: .init(threads: 1))
        let input = try Tensor.random([1, 2], seed: 1)
        for _ in 0..<20 {
            let task = Task { try await session.predict(["x": input]) }
            cancel.withLock { $0 = { task.cancel() } }
            isReady.signal()
            #expect(isCancelled(await task.result))
        }
        #expect(calls.withLock { $0 } == [String](repeating: "first", count: 20))
        cancel.withLock { $0 = nil }
        isReady.signal()
        #expect(try await session.predict(["x": input])["y1"]?.bits == input.bits)
        #expect(calls.withLock { $0.suffix(2) } == ["first", "second"])
    }

    @Test("A run in a loop without an end is cancelled between iterations")
    func whileItLoops() async throws {
        let (iterations, started) = AsyncStream<Void>.makeStream()
        let mayGoOn = DispatchSemaphore(value: 0)
        let count = Mutex(0)
        let model = try TestedNetworks.looping {
            count.withLock { $0 += 1 }
            started.yield()
            mayGoOn.wait()
        }
        // Only cancellation ends the loop: its second iteration waits for it.
        let session = try await Session(model, options: .init(threads: 1, loopDuration: .seconds(600)))
        let input = try Tensor.random([2], seed: 1)
        let run = Task { try await session.predict(["x": input]) }
        var iterator = iterations.makeAsyncIterator()
        await iterator.next()
        mayGoOn.signal()
        await iterator.next()
        run.cancel()
        mayGoOn.signal()
        #expect(isCancelled(await run.result))
        #expect(count.withLock { $0 } == 2)
    }

    @Test("A task that waits for a stream leaves the queue without waiting for its turn")
    func whileItWaits() async throws {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let mayEnd = DispatchSemaphore(value: 0)
        let model = try TestedNetworks.calling([
            {
                started.yield()
                mayEnd.wait()
            }
        ])
        let session = try await Session(model, options: .init(threads: 1))
        let input = try Tensor.random([1, 2], seed: 1)
        let running = Task { try await session.predict(["x": input]) }
        var iterator = starts.makeAsyncIterator()
        await iterator.next()
        let waiting = (0..<4).map { _ in Task { try await session.predict(["x": input]) } }
        try await Task.sleep(for: .milliseconds(20))
        for task in waiting { task.cancel() }
        // The only stream is in use until they have all ended.
        for task in waiting { #expect(isCancelled(await task.result)) }
        mayEnd.signal()
        #expect(try await running.value["y0"]?.bits == input.bits)
        mayEnd.signal()
        #expect(try await session.predict(["x": input])["y0"]?.bits == input.bits)
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
        // Both streams are still available: two runs that need one each end.
        async let first = session.predict(["image": image])
        async let second = session.predict(["image": image])
        #expect(try await [first["scores"]?.bits, second["scores"]?.bits] == [expected, expected])
    }
}
