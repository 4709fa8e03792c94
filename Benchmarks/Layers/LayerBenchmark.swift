import Apus
import CPUBackend
import Foundation
import Graphs
import Measuring
import Planning
import Tensors

/// Times every layer of a network's plan on the processor, and prints its share of the processor's peak.
///
///     layer-benchmark MODEL [BATCH [THREADS [ROUNDS [CACHE]]]]
///
/// CACHE is the number of bytes that layers run strip by strip may keep; 0 times every layer by itself.
///
/// The time is the shortest of the rounds. The share is that of the multiply-adds which the threads make in registers.
@main
struct LayerBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else {
            throw ApusError.usage("layer-benchmark MODEL [BATCH [THREADS [ROUNDS [CACHE]]]]")
        }
        func number(_ position: Int, or standard: Int) -> Int {
            arguments.count > position ? Int(arguments[position]) ?? standard : standard
        }
        let (batch, threads, rounds) = (number(2, or: 1), number(3, or: 1), number(4, or: 20))
        let model =
            try arguments[1].hasPrefix("zoo:")
            ? Model(zoo: String(arguments[1].dropFirst(4)), seed: 0) : Model(contentsOf: arguments[1])
        let graph = try Rewrites.declutter(model.graph).graph
        let shapes = graph.inputs.map { (graph[$0].shape?.dimensions ?? []).map { $0.value ?? batch } }
        let inputs = try shapes.map { shape in
            try Tensor((0..<shape.reduce(1, *)).map { Float($0 % 255) / 255 - 0.5 }, shape: shape)
        }
        let backend = CPUBackend(workerCacheByteCount: number(5, or: ProcessorInformation.secondLevelCacheByteCount))
        let planner = Planner(backends: [backend], threadCount: threads)
        let plan = try planner.plan(graph, inputShapes: shapes, packedWeights: PackedWeights())
        guard let pool = ThreadPool(count: threads) else { throw ApusError.usage("cannot start \(threads) threads") }
        let execution = Execution(workers: pool)
        let times = try execution.timeLayers(of: plan, inputs: inputs, rounds: rounds)
        report(plan, times, peak: 1e-6 * (try await MachineLimits.measured(threads: threads)).multiplyAddsPerSecond)
        let clock = ContinuousClock()
        let runs = try (0..<max(1, rounds)).map { _ in
            try clock.measure { _ = try execution.run(plan, inputs: inputs) } / .milliseconds(1)
        }.sorted()
        print(String(format: "whole runs: minimum %.3f ms, median %.3f ms", runs[0], runs[runs.count / 2]))
    }

    private static func report(_ plan: Plan, _ times: [Duration], peak: Double) {
        var total = 0.0
        for (layer, time) in zip(plan.layers, times) {
            let microseconds = time / .microseconds(1)
            total += microseconds
            if microseconds == 0 { continue }
            let merged = layer.chain.map { Array(plan.layers[$0.operations]) } ?? [layer]
            let multiplyAdds = merged.reduce(0) { $0 + $1.multiplyAdds }
            let fraction = Double(multiplyAdds) / microseconds / peak
            print(
                [
                    layer.name.padded(28), layer.operatorName.padded(18),
                    (merged.count > 1 ? "\(merged.count) layers in strips" : layer.lowering).padded(18),
                    "\(merged[0].inputShapes.first ?? [])→\(layer.outputShapes.first ?? [])".padded(40),
                    String(
                        format: "%9.1f µs %8.1f GFLOP/s %5.1f %%", microseconds,
                        2e-3 * Double(multiplyAdds) / microseconds, 100 * fraction),
                ].joined(separator: " "))
        }
        let multiplyAdds = plan.layers.reduce(0) { $0 + $1.multiplyAdds }
        print(
            String(
                format: "%.3f ms, %.0f GFLOP/s of %.0f, %.1f MiB of activations", total / 1e3,
                2e-3 * Double(multiplyAdds) / total, 2e-3 * peak, Double(plan.arenaByteCount) / 1_048_576))
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String {
        count < width ? self + String(repeating: " ", count: width - count) : self
    }
}
