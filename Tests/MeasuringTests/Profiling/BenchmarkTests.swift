import Apus
import Foundation
import Graphs
import Measuring
import Synchronization
import Tensors
import TestSupport
import Testing

@Suite("Benchmarks")
struct BenchmarkTests {
    @Test("A benchmark's result has what was measured", arguments: [1, 2])
    func result(streams: Int) async throws {
        let model = try TestedNetworks.small()
        let benchmark = try await Benchmark(
            model,
            options: .init(
                name: "small", batch: 2, session: .init(backends: [.cpu], threads: 2, streams: streams, tuning: .none)),
            loadSeconds: 0.5)
        #expect(benchmark.result.latency == nil && benchmark.result.warmUp == nil && benchmark.result.profile == nil)
        try await benchmark.warmUp(limit: .milliseconds(300))
        for _ in 0..<3 { try await benchmark.measure(for: .milliseconds(20)) }
        try await benchmark.profile(for: .milliseconds(20))
        let result = benchmark.result
        #expect(result.configuration.batch == 2 && result.configuration.streams == streams)
        #expect(result.configuration.backends == ["cpu"] && result.configuration.devices.count == 1)
        #expect(result.loadSeconds == 0.5 && result.planSeconds > 0 && result.firstRunSeconds > 0)
        let latency = try #require(result.latency)
        #expect(latency.count >= 3 * streams && result.roundMedians.count == 3)
        #expect(latency.minimum <= latency.p50 && latency.p50 <= latency.p90 && latency.p90 <= latency.p99)
        #expect(try #require(result.imagesPerSecond) > 0)
        #expect(try #require(result.warmUp).runs >= streams)
        #expect(try #require(result.profile).images == 2 * (try #require(result.profile)).runs)
        #expect(try #require(result.memory.peakResidentBytes) > 1 << 20)
        let decoded = try JSONDecoder().decode(BenchmarkResult.self, from: JSONEncoder().encode(result))
        #expect(decoded.latency == latency)
    }

    @Test("A network without planned layers has no profile, and that is no bug")
    func refusesWithoutLayers() async throws {
        var graph = Graph(name: "places")
        let (x, y) = (graph.addValue("x", elementType: .float32, shape: [4, 5]), graph.addValue("y"))
        graph.nodes.append(Graph.Node(name: "places", operation: NonZero(), inputs: [x], outputs: [y]))
        (graph.inputs, graph.outputs) = ([x], [y])
        let benchmark = try await Benchmark(
            Model(graph), options: .init(session: .init(backends: [.cpu], threads: 1, tuning: .none)))
        try await benchmark.measure(for: .milliseconds(1))
        let error = await #expect(throws: ApusError.self) { try await benchmark.profile(for: .milliseconds(1)) }
        guard case .usage(let message)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains("no layer to record"))
    }

    @Test(
        "The images of a run are those that ran, whatever batch was asked for",
        arguments: [
            (Tensors.Dimension.batch, 4, 4, 1), (.fixed(1), 4, 4, 4), (.fixed(3), 4, 3, 1), (.fixed(3), 1, 3, 1),
        ])
    func countsWhatRan(batch: Tensors.Dimension, asked: Int, images: Int, runs: Int) async throws {
        let calls = Mutex(0)
        let model = try TestedNetworks.calling([{ calls.withLock { $0 += 1 } }], batch: batch)
        let session = Session.Options(backends: [.reference], threads: 1, tuning: .none)
        let benchmark = try await Benchmark(model, options: .init(batch: asked, session: session))
        #expect(calls.withLock { $0 } == runs)
        try await benchmark.measure(for: .milliseconds(5))
        let result = benchmark.result
        #expect(result.configuration.batch == images)
        let latency = try #require(result.latency)
        // The whole time is no less than that of all runs.
        #expect(try #require(result.imagesPerSecond) <= 1.001 * Double(images) / latency.mean)
        let profile = try await benchmark.profile(for: .milliseconds(1))
        #expect(profile.images * runs == profile.runs * images)

        var options = Comparison.Options()
        (options.batch, options.rounds, options.seconds, options.measuresLimits) = (asked, 1, 0.001, false)
        let comparison = try await model.compare([.init("one", session)], options: options)
        #expect(comparison.batch == images)
        let seconds = comparison.results[0].seconds
        #expect(abs(comparison.results[0].imagesPerSecond * seconds - Double(images)) < 1e-6)
        let report = try await model.tune(options: session, batch: asked)
        #expect(report.batch == (runs > 1 ? 1 : images))
    }

    @Test("What runs on a backend that was not asked for is said")
    func saysWhatLeans() async throws {
        let model = try TestedNetworks.calling([{}])
        func configuration(_ backends: [BackendName]) async throws -> BenchmarkResult.Configuration {
            try await Benchmark(
                model, options: .init(session: .init(backends: backends, threads: 1, tuning: .none))
            ).result.configuration
        }
        for backends in [[.cpu], [.openblas], []] as [[BackendName]] {
            let found = try await configuration(backends)
            #expect(found.leaning == "reference 100 %")
            #expect(found.shares.map(\.backend) == ["reference"] && found.shares[0].layers == 1)
        }
        #expect(try await configuration([.reference]).leaning == nil)
        #expect(try await configuration([.cpu, .reference]).leaning == nil)

        var options = Comparison.Options()
        (options.rounds, options.seconds, options.measuresLimits) = (1, 0.001, false)
        let comparison = try await model.compare(
            [.init("fast", .init(backends: [.openblas], threads: 1, tuning: .none))], options: options)
        #expect(comparison.results[0].label == "fast (reference 100 %)")
        #expect(comparison.findings[0].answer[0].hasPrefix("fast (reference 100 %): "))
        #expect(ComparisonPage(comparison).html.contains("fast (reference 100 %)"))
    }

    @Test("Times are stable when the last three windows lie within a tenth")
    func stability() {
        #expect(!Benchmark.isStable([1, 1]))
        #expect(Benchmark.isStable([9, 1, 1.05, 1.1]))
        #expect(!Benchmark.isStable([1, 1.05, 1.11]))
        #expect(!Benchmark.isStable([1, 1, 1, 2]))
    }

    @Test("Times that scatter or drift are called noisy")
    func noise() throws {
        let calm = try #require(TimeStatistics(seconds: [1, 1.01, 1.02]))
        let scattered = try #require(TimeStatistics(seconds: [1, 1, 1, 1, 3]))
        #expect(BenchmarkResult.noise(nil, roundMedians: []) == nil)
        #expect(BenchmarkResult.noise(calm, roundMedians: [1, 1.05]) == nil)
        #expect(BenchmarkResult.noise(calm, roundMedians: [1, 1.2])?.contains("moved by 20 %") == true)
        #expect(BenchmarkResult.noise(scattered, roundMedians: [1])?.contains("120 % longer") == true)
    }

    @Test("Random inputs are the same for the same seed, and an image's whatever the batch")
    func inputs() throws {
        let model = try TestedNetworks.small()
        let one = try model.seededInputs(batch: 1, seed: 5)
        let three = try model.seededInputs(batch: 3, seed: 5)
        let other = try model.seededInputs(batch: 1, seed: 6)
        let count = 3 * 16 * 16
        #expect(one["image"]?.bits.count == count)
        #expect(three["image"]?.bits.prefix(count) == one["image"]?.bits[...])
        #expect(other["image"]?.bits != one["image"]?.bits)
        #expect(one["image"]?.elements(as: Float.self).allSatisfy { (-1...1).contains($0) } == true)
        #expect(throws: ApusError.self) { try model.seededInputs(batch: 0) }
    }
}
