import Apus
import Foundation
import TestSupport
import Testing

@Suite("Traces")
struct TraceTests {
    @Test("A run's slices nest on every thread, and its layers are those of the plan", arguments: [1, 2])
    func run(threads: Int) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "trace.json")
            let trace = try Trace(path: file.path)
            let model = try TestedNetworks.squeezeNet()
            let session = try await Session(
                model,
                options: .init(
                    backends: [.cpu], threads: threads, tuning: .none,
                    profiler: Profiler(name: "a \"name\"\n", trace: trace)))
            for batch in [1, 2] { _ = try await session.predict(try model.seededInputs(batch: batch)) }
            try trace.finish()
            #expect(trace.droppedCount == 0)
            let content = try TraceContent(file)
            try content.checkNesting()
            #expect(content.processNames == ["a \"name\"\n"])
            let names = (1...threads).map { $0 == 1 ? "stream 1" : "stream 1, thread \($0)" }
            #expect(Set(names).isSubset(of: Set(content.trackNames.values)))
            #expect(content.slices.filter { $0.name == "run" }.count == 2)
            let layers = Set(content.slices.filter { $0.category == "layer" }.map(\.name))
            for layer in try await session.plan(forBatch: 1).layers where layer.multiplyAdds > 0 {
                #expect(layers.contains { $0.contains(layer.name) }, "\(layer.name)")
            }
            #expect(content.counters.keys.contains("memory"))
        }
    }

    @Test("What feeds a run is in it: reading, decoding, writing, and how many pictures are where")
    func batchRun() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "trace.json")
            let trace = try Trace(path: file.path)
            let classifier = try await Classifier(
                try TestedNetworks.squeezeNet(),
                options: .init(threads: 2, streams: 2, profiler: Profiler(trace: trace)))
            let runner = BatchRunner(classifier, options: .init(batch: 3))
            let summary = try await RunReservation.taking(folder.appending(path: "rows.jsonl")) {
                try await runner.run(over: TestedDataset(count: 8), into: RunOutput($0, as: .jsonLines))
            }
            #expect(summary.done == 8)
            try trace.finish()
            let content = try TraceContent(file)
            try content.checkNesting()
            let names = content.slices.map(\.name)
            #expect(names.filter { $0 == "prepare" }.count == 8)
            for name in ["read", "decode", "preprocess", "write", "commit", "run"] { #expect(names.contains(name)) }
            let pictures = try #require(content.counters["pictures"])
            #expect(pictures.last?.values.allSatisfy { $0 == 0 } == true)
            #expect(pictures.contains { $0["predicting"] ?? 0 > 0 })
        }
    }

    @Test("The file is whole JSON before it is finished, and what is too much is counted")
    func bounds() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "trace.json")
            let trace = try Trace(path: file.path, byteLimit: 20_000)
            #expect(try TraceContent(file).slices.isEmpty)
            let model = try TestedNetworks.small()
            let session = try await Session(model, options: .init(profiler: Profiler(trace: trace)))
            let inputs = try model.seededInputs()
            while trace.droppedCount == 0 {
                _ = try await session.predict(inputs)
                try TraceContent(file).checkNesting()
            }
            try trace.finish()
            let content = try TraceContent(file)
            try content.checkNesting()
            #expect(!content.slices.isEmpty)
            #expect(try Data(contentsOf: file).count < 21_000)
            // Nothing comes after the end.
            _ = try await session.predict(inputs)
            try trace.finish()
            #expect(try TraceContent(file).slices.count == content.slices.count)
        }
    }

    @Test("A file that cannot be written is an error that names it")
    func unwritable() async throws {
        for path in ["/nonexistent/trace.json", "/dev/full"] {
            let error = #expect(throws: ApusError.self) { try Trace(path: path) }
            #expect(error?.description.hasPrefix(path) == true)
        }
    }
}

/// The strictly parsed content of a trace.
struct TraceContent {
    struct Slice {
        let name: String
        let category: String
        let track: Int
        /// Nanoseconds.
        let start: Int
        let end: Int
    }

    private(set) var slices: [Slice] = []
    private(set) var trackNames: [Int: String] = [:]
    private(set) var processNames: [String] = []
    private(set) var counters: [String: [[String: Int]]] = [:]

    init(_ file: URL) throws {
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        for event in try #require(json["traceEvents"] as? [[String: Any]]) {
            let name = try #require(event["name"] as? String)
            _ = try #require(event["pid"] as? Int)
            let arguments = event["args"] as? [String: Any] ?? [:]
            switch event["ph"] as? String {
            case "X":
                let time = try #require(event["ts"] as? Double)
                let duration = try #require(event["dur"] as? Double)
                #expect(time >= 0 && duration >= 0)
                let start = Int((1000 * time).rounded())
                slices.append(
                    Slice(
                        name: name, category: try #require(event["cat"] as? String),
                        track: try #require(event["tid"] as? Int), start: start,
                        end: start + Int((1000 * duration).rounded())))
            case "C": counters[name, default: []].append(try #require(arguments as? [String: Int]))
            case "M":
                switch name {
                case "process_name": processNames.append(try #require(arguments["name"] as? String))
                case "thread_name":
                    let track = try #require(event["tid"] as? Int)
                    trackNames[track] = try #require(arguments["name"] as? String)
                default: #expect(name == "thread_sort_index")
                }
            default: Issue.record("an event of an unknown kind: \(event)")
            }
        }
    }

    /// Checks that slices of a track are nested or disjoint, and that every track has a name.
    func checkNesting() throws {
        for (track, slices) in Dictionary(grouping: slices, by: \.track) {
            #expect(trackNames[track] != nil)
            var open: [Slice] = []
            for slice in slices.sorted(by: { ($0.start, -$0.end) < ($1.start, -$1.end) }) {
                while let last = open.last, last.end <= slice.start { open.removeLast() }
                if let last = open.last, slice.end > last.end {
                    Issue.record("\(slice) reaches beyond \(last)")
                }
                open.append(slice)
            }
        }
    }
}
