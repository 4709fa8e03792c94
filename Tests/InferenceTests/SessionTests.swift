import Apus
import Foundation
import TestSupport
import Testing

@Suite("Sessions")
struct SessionTests {
    @Test("Ten tasks at once get ten right answers", arguments: [1, 2])
    func servesTasksSideBySide(streams: Int) async throws {
        let session = try await Session(TestedNetworks.squeezeNet(), options: .init(threads: 2, streams: streams))
        let images = try (0..<10).map { try Tensor.random([1, 3, 227, 227], seed: UInt64($0)) }
        var expected: [[UInt32]] = []
        for image in images { expected.append(try #require(try await session.predict(["data": image])["prob"]).bits) }
        #expect(Set(expected).count == 10)
        let answers = try await withThrowingTaskGroup(of: (Int, [UInt32]?).self) { group in
            for (index, image) in images.enumerated() {
                group.addTask { (index, try await session.predict(["data": image])["prob"]?.bits) }
            }
            return try await group.reduce(into: [Int: [UInt32]]()) { $0[$1.0] = $1.1 }
        }
        for index in images.indices { #expect(answers[index] == expected[index], "task \(index)") }
    }

    @Test("Threads and tasks side by side get right answers, however many streams there are", arguments: [1, 2])
    func servesThreadsBesideTasks(streams: Int) async throws {
        let session = try await Session(TestedNetworks.squeezeNet(), options: .init(threads: 2, streams: streams))
        let images = try (0..<8).map { try Tensor.random([1, 3, 227, 227], seed: UInt64($0)) }
        var expected: [[UInt32]?] = []
        for image in images { expected.append(try await session.predict(["data": image])["prob"]?.bits) }
        let answers = try await withThrowingTaskGroup(of: (Int, [UInt32]?).self) { group in
            for (index, image) in images.enumerated() {
                group.addTask {
                    if index % 2 == 0 { return (index, try await session.predict(["data": image])["prob"]?.bits) }
                    return (
                        index,
                        try await Self.onThread { try session.predictSynchronously(["data": image])["prob"]?.bits }
                    )
                }
            }
            return try await group.reduce(into: [Int: [UInt32]]()) { $0[$1.0] = $1.1 }
        }
        for index in images.indices { #expect(answers[index] == expected[index], "run \(index)") }
        #expect(session.plansMade == 1)
    }

    @Test("A thread gets what a task gets: records, images of a network for one, and errors")
    func answersThreads() async throws {
        let session = try await Session(TestedNetworks.small())
        let records = try (0..<3).map { ["image": try Tensor.random([1, 3, 16, 16], seed: UInt64($0))] }
        let expected = try await session.predict(records).map { $0["scores"]?.bits }
        #expect(
            try await Self.onThread { try session.predictSynchronously(records).map { $0["scores"]?.bits } } == expected
        )
        #expect(try await Self.onThread { try session.predictSynchronously([[String: Tensor]]()).isEmpty })
        let images = try Tensor.random([3, 3, 8, 8], seed: 5)
        await #expect(throws: ApusError.self) {
            try await Self.onThread { _ = try session.predictSynchronously(["photo": images]) }
        }

        let fixed = try await Session(Model(Self.fixedBatch().seeded(1)))
        let scores = try await fixed.predict(["image": images])["scores"]?.bits
        #expect(try await Self.onThread { try fixed.predictSynchronously(["image": images])["scores"]?.bits } == scores)
    }

    /// Runs `body` on a thread of its own and returns its result.
    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result(catching: body)) }.start()
        }
    }

    private static func fixedBatch() throws -> Graph {
        try Graph.build("fixed") { net in
            net.output("scores", net.input("image", .float32, [1, 3, 8, 8]).convolution(4, kernel: 8).relu().flatten())
        }
    }

    @Test("A batch gives what its records give one by one")
    func batchEqualsSingle() async throws {
        let session = try await Session(TestedNetworks.small())
        let records = try (0..<5).map { ["image": try Tensor.random([1, 3, 16, 16], seed: UInt64($0))] }
        let together = try await session.predict(records)
        #expect(together.count == 5)
        for (record, answer) in zip(records, together) {
            let single = try #require(try await session.predict(record)["scores"])
            #expect(answer["scores"]?.shape == [1, 5])
            #expect(answer["scores"]?.bits == single.bits)
        }
        #expect(try await session.predict([[String: Tensor]]()).isEmpty)
    }

    @Test("A network whose batch is fixed to 1 takes batches too")
    func splitsFixedBatches() async throws {
        let session = try await Session(Model(Self.fixedBatch().seeded(1)))
        let images = try Tensor.random([3, 3, 8, 8], seed: 5)
        let answer = try #require(try await session.predict(["image": images])["scores"])
        #expect(answer.shape == [3, 4])
        for index in 0..<3 {
            let image = try images.sliced(axis: 0, index..<index + 1)
            let single = try #require(try await session.predict(["image": image])["scores"])
            #expect(try answer.sliced(axis: 0, index..<index + 1).bits == single.bits)
        }
    }

    @Test("Extents seen before are not planned again, and plans share their weights")
    func keepsPlans() async throws {
        let session = try await Session(TestedNetworks.small(), options: .init(threads: 2, streams: 2))
        #expect(session.plansMade == 1)
        let weights = session.packedWeightCount
        #expect(weights > 0)
        for count in [1, 1, 4, 1, 4, 4, 2] {
            let answer = try await session.predict(["image": try Tensor.random([count, 3, 16, 16], seed: 1)])
            #expect(answer["scores"]?.shape == [count, 5])
        }
        #expect(session.plansMade == 3)
        #expect(session.packedWeightCount == weights)
        #expect(try await session.plan(forBatch: 4).inputs == ["image": [4, 3, 16, 16]])
        #expect(session.plansMade == 3)
    }

    @Test("Options that make no sense are refused")
    func refusesOptions() async throws {
        let model = try TestedNetworks.small()
        for options in [Session.Options(threads: 0), .init(streams: 0), .init(threads: -1)] {
            let error = await #expect(throws: ApusError.self) { try await Session(model, options: options) }
            #expect(error.map { "\($0)" } == "a session needs at least one thread and one stream")
            #expect(error?.kind == .usage)
        }
        let error = await #expect(throws: ApusError.self) {
            try await Session(model, options: .init(backends: [BackendName("abacus")]))
        }
        let expected = "backend abacus: there is no such backend; there are cpu, openblas, reference, opencl"
        #expect(error.map { "\($0)" } == expected)
    }
}
