import Apus
import Formats
import Tensors
import TestSupport
import Testing

@Suite("Memory budgets of sessions")
struct MemoryTests {
    @Test("A budget too small for one image is an error when the session starts, and everything is given back")
    func refusesToStart() async throws {
        let budget = MemoryBudget(limit: 1000)
        let model = try TestedNetworks.small()
        let error = await #expect(throws: ApusError.self) {
            try await Session(model, options: .init(memoryBudget: budget))
        }
        guard case .memory(let message)? = error else {
            Issue.record("\(error.map { "\($0)" } ?? "starts")")
            return
        }
        #expect(
            message.hasPrefix("small: ") && message.hasSuffix(" bytes of the memory budget of 1000 bytes are in use"))
        #expect(error?.kind == .memory)
        #expect(budget.bytesInUse == 0)
    }

    @Test("A batch beyond the budget is an error, everything is given back, and smaller batches go on")
    func refusesLargeBatches() async throws {
        let budget = MemoryBudget(limit: 200_000)
        let model = try TestedNetworks.small()
        let session = try await Session(model, options: .init(memoryBudget: budget))
        let image = try Tensor.random([1, 3, 16, 16], seed: 1)
        let expected = try await session.predict(["image": image])["scores"]?.bits
        let before = budget.bytesInUse
        for _ in 0..<3 {
            let error = await #expect(throws: ApusError.self) {
                try await session.predict(["image": try .random([64, 3, 16, 16], seed: 1)])
            }
            #expect(error?.kind == .memory)
            #expect(budget.bytesInUse <= before)
        }
        #expect(try await session.predict(["image": image])["scores"]?.bits == expected)
        #expect(budget.bytesInUse == before)
    }

    @Test("A file whose weights do not fit is a lack of memory, and one that cannot be read is not")
    func weights() {
        func error(_ error: TensorError) -> ApusError { ApusError(FormatError(error).about("w"), path: "m.onnx") }
        let lack = error(.overBudget(requested: 2000, inUse: 100, limit: 1000))
        #expect(lack.kind == .memory)
        #expect("\(lack)".hasPrefix("m.onnx: w: needs 2000 bytes; "))
        #expect(error(.outOfMemory(requested: 2000)).kind == .memory)
        #expect(error(.unreadable("gone")).kind == .file)
    }

    @Test("A session that goes gives its memory back")
    func releasesEverything() async throws {
        let budget = MemoryBudget(limit: 1 << 24)
        var outputs: [String: Tensor]?
        do {
            let session = try await Session(
                TestedNetworks.small(), options: .init(threads: 2, streams: 2, memoryBudget: budget))
            outputs = try await session.predict(["image": .random([3, 3, 16, 16], seed: 1)])
            #expect(budget.bytesInUse > 0)
        }
        // The streams end on threads of their own.
        for _ in 0..<6000 where budget.bytesInUse > 64 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(budget.bytesInUse == 64)
        #expect(outputs?["scores"]?.shape == [3, 5])
        outputs = nil
        #expect(budget.bytesInUse == 0)
    }
}
