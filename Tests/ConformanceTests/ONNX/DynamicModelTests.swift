import Apus
import Foundation
import Testing
import TestSupport

@Suite("Networks whose shapes depend on values", .ownThreads)
struct DynamicModelTests {
    private static let folder = FetchedModels.folder.deletingLastPathComponent()
        .appending(path: "Tests/Fixtures/dynamic")

    private static let names = [
        "computed_shapes", "detector_with_nms", "functions", "nothing_found", "pasted_masks", "proposals", "scanned",
        "static_branches", "until_small",
    ]

    private static func file(_ name: String) -> String { folder.appending(path: "\(name)/model.onnx").path }

    @Test("Exporters' idioms give what onnxruntime gives", arguments: [BackendName.reference, .cpu], names)
    func agrees(_ backend: BackendName, _ name: String) async {
        let test = ONNXBackendTest(name: name, folder: Self.folder.appending(path: name))
        let outcome = await test.outcome(on: backend)
        guard case .passed = outcome else {
            Issue.record("\(name) on \(backend): \(outcome)")
            return
        }
    }

    @Test("A branch and a loop that extents decide are planned as part of the network")
    func staticBranches() async throws {
        let session = try await Session(try Model(contentsOf: Self.file("static_branches")))
        let shape = [1, 1, 4]
        let x = try Tensor([Float](repeating: 1, count: 4), shape: shape)
        let outputs = try await session.predict(["x": x])
        #expect(outputs["totals"]?.shape == [3])
        let plan = try await session.plan(forInputs: ["x": shape])
        #expect(plan.continuation == nil)
        #expect(!plan.layers.contains { $0.operator.contains("If") || $0.operator.contains("Loop") })
    }

    @Test("A plan says what decides the shapes that follow")
    func continuation() async throws {
        let session = try await Session(try Model(contentsOf: Self.file("detector_with_nms")))
        let plan = try await session.plan(forInputs: ["x": [1, 3, 32, 32]])
        #expect(plan.layers.contains { $0.operator.hasPrefix("Conv") })
        let continuation = try #require(plan.continuation)
        #expect(continuation.evaluated.map(\.operator) == ["NonMaxSuppression"])
        #expect(continuation.following["TopK"] == 1)
    }

    @Test("A loop without an end is ended, with the reason", arguments: [BackendName.reference, .cpu])
    func endless(_ backend: BackendName) async throws {
        let options = Session.Options(backends: [backend], loopDuration: .milliseconds(50))
        let session = try await Session(try Model(contentsOf: Self.file("until_small")), options: options)
        let endless = try Tensor([Float.infinity], shape: [1])
        let error = await #expect(throws: ApusError.self) { try await session.predict(["x": endless]) }
        #expect(error?.description.contains("loops that take more than") == true, "\(String(describing: error))")
    }

    @Test("Runs at once on several streams give the same answers")
    func concurrent() async throws {
        let options = Session.Options(backends: [.cpu], threads: 2, streams: 2)
        let session = try await Session(try Model(contentsOf: Self.file("pasted_masks")), options: options)
        func input(_ count: Int) throws -> [String: Tensor] {
            let corners: [Float] = (0..<count).flatMap { (box: Int) -> [Float] in [Float(box), 2, Float(box + 20), 30] }
            return [
                "masks": try Tensor((0..<count * 196).map { Float($0 % 13) }, shape: [count, 14, 14]),
                "boxes": try Tensor(corners, shape: [count, 4]),
            ]
        }
        let expected = try await [1, 2, 3, 4].asyncMap { try await session.predict(try input($0)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 0..<16 {
                group.addTask {
                    let outputs = try await session.predict(try input(round % 4 + 1))
                    let answer = outputs["result"]?.elements(as: Float.self)
                    #expect(answer == expected[round % 4]["result"]?.elements(as: Float.self))
                }
            }
            try await group.waitForAll()
        }
    }
}

extension Array where Element: Sendable {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
