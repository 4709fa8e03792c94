import Apus
import Foundation
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
