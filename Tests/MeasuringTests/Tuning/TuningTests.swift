import Apus
import Foundation
import Graphs
import Planning
import Synchronization
import Tensors
import TestSupport
import Testing

@Suite("Measuring layers")
struct TuningTests {
    /// Calls `body` with the path of a file in a new folder that is removed afterwards.
    private func withFile(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "inner/tuning.json").path)
    }

    private func records(_ layer: String, _ microseconds: Double = 1) -> TuningCache {
        TuningCache(
            entries: ["device": [layer: .init(microseconds: ["fast": microseconds], threads: 1, images: 1)]])
    }

    @Test("What is measured is kept, chosen by at every batch size and number of threads, and not measured twice")
    func keepsTimes() async throws {
        try await withFile { path in
            let model = try TestedNetworks.small()
            func options(_ threads: Int) -> Session.Options { .init(threads: threads, tuning: .file(path)) }
            let report = try await model.tune(options: options(2))
            #expect(report.measuredCount > 0 && report.measuredCount == report.layers.count)
            #expect((report.file, report.threads, report.batch) == (path, 2, 1))
            for layer in report.layers {
                #expect(layer.candidates.count >= 2)
                #expect(layer.candidates.allSatisfy { $0.measuredMicroseconds ?? 0 > 0 })
            }
            #expect(try await model.tune(options: options(2)).measuredCount == 0)
            #expect(try await model.tune(options: options(1)).measuredCount == report.layers.count)
            #expect(try await model.tune(options: options(1), isRenewing: true).measuredCount == report.layers.count)
            var lowerings: [String]?
            for threads in [1, 2, 3] {
                let session = try await Session(model, options: options(threads))
                #expect(session.tuningProblem == nil)
                for batch in [1, 2, 7] {
                    let layers = try await session.plan(forBatch: batch).layers
                    #expect(layers.filter(\.isMeasured).count >= report.layers.count)
                    lowerings = lowerings ?? layers.map(\.lowering)
                    #expect(layers.map(\.lowering) == lowerings)
                }
            }
            let plain = try await Session(model, options: .init(tuning: .none))
            #expect(try await plain.plan(forBatch: 1).layers.allSatisfy { !$0.isMeasured })
        }
    }

    @Test("Layers of 8-bit integers are measured, too", arguments: [ElementType.int8, .uint8])
    func measuresIntegers(_ elementType: ElementType) async throws {
        var graph = Graph(name: "integers")
        let x = graph.addValue("x", elementType: elementType, shape: Shape([1, 32, 12, 12]))
        let y = graph.addValue("y")
        graph.inputs = [x]
        graph.outputs = [y]
        let weights = try Tensor((0..<32 * 32 * 9).map { Int8($0 % 7) }, shape: [32, 32, 3, 3])
        let operation = IntegerConv(
            Conv(pads: [1, 1, 1, 1]), inputZeroPoint: 0, weightZeroPoint: 0,
            requantization: Requantization(.float([0.001]), zeroPoint: 0, range: -128...127, elementType: .int8))
        graph.nodes = [
            Graph.Node(
                name: "convolution", operation: operation, inputs: [x, graph.addInitializer("w", weights)], outputs: [y]
            )
        ]
        let report = try await Model(graph, name: "integers").tune(options: .init(threads: 2, tuning: .none))
        #expect(report.layers.map(\.operator) == ["IntegerConv"])
        for layer in report.layers {
            #expect(layer.candidates.count >= 2)
            #expect(layer.candidates.allSatisfy { $0.measuredMicroseconds ?? 0 > 0 })
        }
    }

    @Test("Nothing is written where nothing is to be kept")
    func measuresOnly() async throws {
        let report = try await TestedNetworks.small().tune(options: .init(threads: 1, tuning: .none))
        #expect(report.file == nil && report.measuredCount > 0)
        #expect(report.totals.measuredChoice > 0)
        #expect(report.totals.measuredChoice <= report.totals.expectedChoice)
    }

    @Test(
        "A file that holds something else is reported and changes nothing",
        arguments: ["", "{", "[1]", #"{"format":"apus tuning 2","devices":{}}"#, #"{"devices":{}}"#, "\u{0}\u{1}"])
    func survivesForeignFiles(content: String) async throws {
        try await withFile { path in
            let file = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
            let model = try TestedNetworks.small()
            let session = try await Session(model, options: .init(tuning: .file(path)))
            #expect(session.tuningProblem?.hasPrefix("\(path): is no file of measured times") == true)
            _ = try await session.predict(["image": try Tensor.random([1, 3, 16, 16], seed: 1)])
            await #expect(throws: ApusError.self) { try await model.tune(options: .init(tuning: .file(path))) }
            #expect(try Data(contentsOf: file) == Data(content.utf8))
        }
    }

    @Test("A folder, or a place that cannot be written, is an error of tuning alone")
    func refusesBadPlaces() async throws {
        let model = try TestedNetworks.small()
        for path in ["/", "/dev/null/tuning.json", "/proc/tuning.json"] {
            _ = try await Session(model, options: .init(tuning: .file(path)))
            let error = await #expect(throws: ApusError.self) {
                try await model.tune(options: .init(tuning: .file(path)))
            }
            #expect(error?.kind == .file, "\(path)")
        }
    }

    @Test("Those who write at the same time do not lose each other's times")
    func writesTogether() async throws {
        try await withFile { path in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for layer in 0..<8 { try TuningFile(path: path).add(records("layer \(writer) \(layer)")) }
                    }
                }
                try await group.waitForAll()
            }
            var all = TuningCache()
            for writer in 0..<4 { for layer in 0..<8 { all.merge(records("layer \(writer) \(layer)")) } }
            #expect(try TuningFile(path: path).read() == all)
            try TuningFile(path: path).add(records("layer 0 0", 5))
            all.merge(records("layer 0 0", 5))
            #expect(try TuningFile(path: path).read() == all)
            let names = try FileManager.default.contentsOfDirectory(
                atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path)
            #expect(Set(names) == ["tuning.json", "tuning.json.lock"])
        }
    }

    @Test("Cancelling keeps the layers that were measured")
    func keepsTimesWhenCancelled() async throws {
        try await withFile { path in
            let model = try TestedNetworks.small()
            let reached = AsyncStream<Void>.makeStream()
            let cancelled = DispatchSemaphore(value: 0)
            let tuning = Task {
                try await model.tune(options: .init(threads: 1, tuning: .file(path))) { progress in
                    guard progress.done == 1 else { return }
                    reached.continuation.yield()
                    cancelled.wait()
                }
            }
            for await _ in reached.stream { break }
            tuning.cancel()
            cancelled.signal()
            let error = await #expect(throws: ApusError.self) { try await tuning.value }
            #expect(error?.kind == .cancelled)
            #expect(try TuningFile(path: path).read().entries.values.map(\.count) == [1])
        }
    }

    @Test("The cache folder is the user's")
    func findsTheCache() throws {
        let path = try #require(TuningSource.cached.path)
        #expect(path.hasPrefix("/") && path.hasSuffix("/apus/tuning.json"))
        #expect(TuningSource.file("times.json").path == "times.json")
        #expect(TuningSource.none.path == nil)
    }
}
