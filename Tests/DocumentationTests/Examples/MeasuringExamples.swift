import Apus
import Measuring

extension SwiftExample {
    static let measuring = [
        SwiftExample("comparing", prints: ["Which backend should I use here?"]) {
            let model = try Model(
                Graph.build("tiny") { net in
                    net.output("scores", net.input("image", .float32, [.batch, 3, 8, 8]).relu())
                })

            let comparison = try await model.compare([
                Comparison.Configuration("one", .init(threads: 1)),
                Comparison.Configuration("two", .init(threads: 2)),
            ])
            for finding in comparison.findings { print(finding.question, finding.answer) }
            try ComparisonPage(comparison).write(to: "comparison.html")
        },
        SwiftExample("profiling", prints: ["conv1"]) {
            let model = try Model(contentsOf: "squeezenet1_1.onnx")
            let pixels = try Tensor(zeros: .float32, shape: [1, 3, 227, 227])

            let trace = try Trace(path: "run.json")  // if wanted
            let profiler = Profiler(trace: trace)
            let session = try await Session(model, options: .init(profiler: profiler))
            _ = try await session.predict(["data": pixels])
            let profile = profiler.profile(limits: try await MachineLimits.measured(threads: session.options.threads))
            for layer in profile?.layers ?? [] { print(layer.name, layer.seconds, layer.peakFraction ?? 0) }
            try trace.finish()

            let benchmark = try await Benchmark(model, options: .init(batch: 8))
            try await benchmark.warmUp()
            try await benchmark.measure(for: .seconds(3))
            print(benchmark.result.latency?.p50 ?? 0, benchmark.result.imagesPerSecond ?? 0)
        },
        SwiftExample("benchmarks") {
            let model = try Model(contentsOf: "squeezenet1_1.onnx")

            let benchmark = try await Benchmark(model, options: .init(batch: 1))
            try await benchmark.warmUp()
            try await benchmark.measure(for: .seconds(1))
            print(benchmark.result.latency?.p50 ?? 0)
        },
        SwiftExample("tuning", prints: ["0"]) {
            let model = try Model(
                Graph.build("tiny") { net in
                    net.output("scores", net.input("image", .float32, [.batch, 3, 8, 8]).relu())
                })

            let report = try await model.tune(options: .init(tuning: .file("times.json")))  // keeps the times
            let options = Session.Options(tuning: .file("times.json"))  // a session that reads them

            print(report.measuredCount, options.threads)
        },
    ]
}
