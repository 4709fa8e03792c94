import Apus
import Foundation

/// Times runs without a profiler, with a profiler that does not record, and with one that does, in turns in one
/// process, and prints the profiler's cost.
///
///     profiling-benchmark MODEL [THREADS [ROUNDS]]
///
/// A round is one run of each kind; the kind that comes first changes from round to round.
@main
struct ProfilingBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else { throw ApusError.usage("profiling-benchmark MODEL [THREADS [ROUNDS]]") }
        func number(_ position: Int, or standard: Int) -> Int {
            arguments.count > position ? Int(arguments[position]) ?? standard : standard
        }
        let (threads, rounds) = (number(2, or: 2), number(3, or: 1000))
        let model =
            try arguments[1].hasPrefix("zoo:")
            ? Model(zoo: String(arguments[1].dropFirst(4)), seed: 0) : Model(contentsOf: arguments[1])
        let silent = Profiler(name: "silent")
        silent.isRecording = false
        let variants: [(name: String, profiler: Profiler?)] = [
            ("no profiler", nil), ("not recording", silent), ("recording", Profiler(name: "recording")),
        ]
        var sessions: [Session] = []
        for variant in variants {
            sessions.append(try await Session(model, options: .init(threads: threads, profiler: variant.profiler)))
        }
        let inputs = try model.seededInputs(batch: 1, seed: 0)
        for session in sessions {
            for _ in 0..<20 { _ = try await session.predict(inputs) }
        }
        var times = variants.map { _ in [Double]() }
        let clock = ContinuousClock()
        for round in 0..<rounds {
            for turn in variants.indices {
                let index = (round + turn) % variants.count
                let time = try await clock.measure { _ = try await sessions[index].predict(inputs) }
                times[index].append(time / .milliseconds(1))
            }
        }
        print("\(arguments[1]), \(threads) threads, \(rounds) rounds: milliseconds and ratio to no profiler")
        for index in times.indices { times[index].sort() }
        for (variant, sorted) in zip(variants, times) {
            let columns = [("minimum", 0), ("quartile", rounds / 4), ("median", rounds / 2)].map { name, position in
                String(format: "%@ %.3f (%.4f)", name, sorted[position], sorted[position] / times[0][position])
            }
            print(variant.name.padding(toLength: 15, withPad: " ", startingAt: 0), columns.joined(separator: "  "))
        }
    }
}
