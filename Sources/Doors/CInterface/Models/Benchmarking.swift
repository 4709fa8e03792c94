import Apus
import CApus
import Measuring
import SharedOptions

private struct BenchmarkDocument: Encodable {
    let results: [BenchmarkResult]
}

/// The number of rounds. Their medians show whether the machine's speed changes.
private let rounds = 5

@c @implementation
public func apus_model_bench(
    _ model: OpaquePointer?, _ settings: OpaquePointer?, _ json: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let json = try required(json, "json")
        let model = try object(model, ModelObject.self).model
        let options = try parsedOptions(settings)
        var benchmarkOptions = Benchmark.Options(
            batch: options.running.batch ?? 1, session: try options.sessionOptions(profiling: model.name))
        benchmarkOptions.seed = options.loading.seed
        let result = try waiting { [benchmarkOptions] in
            let benchmark = try await Benchmark(model, options: benchmarkOptions)
            try await benchmark.warmUp(limit: .seconds(options.time))
            for _ in 0..<rounds { try await benchmark.measure(for: .seconds(options.time / Double(rounds))) }
            return benchmark.result
        }
        try give(TextObject(JSONDocument.text(of: BenchmarkDocument(results: [result]), isPretty: true)), to: json)
    }
}
