import Apus
import Foundation
import Measuring

/// A table of networks' milliseconds on a device, for several batches and precisions, beside those of other engines.
struct DeviceTable {
    private struct Row: Hashable {
        let network: String
        let batch: Int
    }

    private let arguments: CheckArguments
    private var peers: [String] = []
    private var peerTimes: [Row: [String: Double]] = [:]
    private var absences: [String] = []

    init(_ arguments: CheckArguments) throws {
        self.arguments = arguments
        guard let file = arguments.peers else { return }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t").map(String.init)
            if fields.count == 3, fields[1] == "absent" {
                absences.append("\(fields[0]) is absent: \(fields[2])")
            } else if fields.count == 4, let batch = Int(fields[2]), let time = Double(fields[3]) {
                if !peers.contains(fields[0]) { peers.append(fields[0]) }
                peerTimes[Row(network: fields[1], batch: batch), default: [:]][fields[0]] = time
            }
        }
    }

    func run() async throws {
        print("median milliseconds of a run, inputs and outputs in the processor's memory")
        let columns = arguments.precisions.map { "apus \($0.rawValue)" } + peers
        print(line("network", "batch", columns))
        var notices: [String] = []
        for name in arguments.networks {
            for batch in arguments.batches {
                var cells: [String] = []
                for precision in arguments.precisions {
                    cells.append(try await milliseconds(name, batch, precision, &notices))
                }
                let times = peerTimes[Row(network: name, batch: batch)] ?? [:]
                cells += peers.map { peer in times[peer].map { String(format: "%.2f", $0) } ?? "–" }
                print(line(name, "\(batch)", cells))
                // A run that is ended early shows what it measured.
                fflush(nil)
            }
        }
        for note in notices + absences { print(note) }
    }

    private func milliseconds(
        _ name: String, _ batch: Int, _ precision: Precision, _ notices: inout [String]
    ) async throws -> String {
        let session = Session.Options(
            backends: [.opencl], device: "\(arguments.device)", precision: precision,
            tuning: arguments.tuning.map(TuningSource.file) ?? .none)
        let model = try Model(zoo: name)
        if arguments.tuning != nil {
            for refusal in try await model.tune(options: session, batch: batch).refusals {
                notices.append("\(name), \(refusal.layer): \(refusal.lowering) is refused: \(refusal.reason)")
            }
        }
        let benchmark = try await Benchmark(model, options: .init(batch: batch, session: session))
        try await benchmark.warmUp(limit: .seconds(arguments.seconds))
        try await benchmark.measure(for: .seconds(arguments.seconds))
        for notice in benchmark.session.notices where !notices.contains(notice) { notices.append(notice) }
        return benchmark.result.latency.map { String(format: "%.2f", $0.p50 * 1000) } ?? "–"
    }

    private func line(_ network: String, _ batch: String, _ cells: [String]) -> String {
        func padded(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        let name = network + String(repeating: " ", count: max(0, 14 - network.count))
        return name + padded(batch, 6) + cells.map { padded($0, 18) }.joined()
    }
}
