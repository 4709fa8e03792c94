import Apus
import FoundationEssentials
import Measuring
import Platform

/// The text of a benchmark: what was run, a line for each configuration, and the profile.
struct BenchmarkText {
    private let results: [BenchmarkResult]

    init(_ results: [BenchmarkResult]) { self.results = results }

    var lines: [String] {
        guard let first = results.first else { return [] }
        return heading(first) + [""] + table + remarks + profiles
    }

    private func heading(_ first: BenchmarkResult) -> [String] {
        let configuration = first.configuration
        var lines = ["\(first.model): apus \(first.version), \(configuration.precision), by \(configuration.choice)"]
        var devices: [String] = []
        for device in results.flatMap(\.configuration.devices) where !devices.contains(device) {
            devices.append(device)
        }
        lines += devices.map { "  device    \($0)" }
        var threads: [Int] = []
        for limits in results.compactMap(\.limits) {
            guard let count = limits.threads, !threads.contains(count) else { continue }
            threads.append(count)
            lines.append("  limits    \(Self.text(limits)) with \(count) thread\(count == 1 ? "" : "s")")
        }
        if let limits = results.compactMap(\.deviceLimits).first {
            lines.append("  limits    \(Self.text(limits)) on \(limits.device)")
        }
        if let seconds = first.loadSeconds { lines.append("  load      \(Self.milliseconds(seconds)) ms") }
        let weights = Double(first.memory.weightBytes) / 1_048_576
        lines.append("  weights   " + "\(weights.text(decimals: 1)) MiB")
        return lines
    }

    private static func text(_ limits: MachineLimits) -> String {
        "\(limits.gigaflopsPerSecond.text(decimals: 1)) GFLOP/s, \(limits.gigabytesPerSecond.text(decimals: 1)) GB/s"
    }

    private var table: [String] {
        let headings = [
            "batch", "threads", "streams", "min ms", "mean ms", "p50 ms", "p90 ms", "p99 ms", "sd ms", "img/s", "runs",
            "plan ms", "first ms", "warm-up s", "peak MiB",
        ]
        var table = TextTable(headings.map { ($0, .right) })
        for result in results {
            let configuration = result.configuration
            var cells = [configuration.batch, configuration.threads, configuration.streams].map(String.init)
            let times = result.latency.map { [$0.minimum, $0.mean, $0.p50, $0.p90, $0.p99, $0.standardDeviation] }
            cells += times.map { $0.map(Self.milliseconds) } ?? [String](repeating: "", count: 6)
            cells.append(result.imagesPerSecond.map { $0.text(decimals: 1) } ?? "")
            cells.append(result.latency.map { "\($0.count)" } ?? "")
            cells += [result.planSeconds, result.firstRunSeconds].map(Self.milliseconds)
            cells.append(result.warmUp.map { $0.seconds.text(decimals: 1) } ?? "")
            cells.append(
                result.memory.peakResidentBytes.map { (Double($0) / 1_048_576).text(decimals: 0) } ?? "")
            table.append(cells)
        }
        return table.lines()
    }

    /// Warnings about the results.
    private var remarks: [String] {
        let remarks = results.flatMap { result -> [String] in
            var remarks: [String] = []
            if let warmUp = result.warmUp, !warmUp.isStable {
                remarks.append("times were not stable when the warm-up was over")
            }
            if let noise = result.noise { remarks.append("noisy: \(noise)") }
            for share in result.configuration.shares where !share.isAskedFor {
                let layers = share.layers == 1 ? "1 layer" : "\(share.layers) layers"
                remarks.append(
                    "\(layers), \(Figure.percent(share.time)) of the time, on \(share.backend): "
                        + "the backends asked for have no kernel (apus plan --on \(share.backend))")
            }
            return remarks.map { results.count == 1 ? $0 : "\(Self.name(result)): \($0)" }
        }
        return remarks.isEmpty ? [] : [""] + remarks
    }

    private var profiles: [String] {
        results.flatMap { result -> [String] in
            guard let profile = result.profile else { return [] }
            let title = results.count == 1 ? [] : ["\(Self.name(result)):"]
            return [""] + title + ProfileText(profile).lines
        }
    }

    private static func name(_ result: BenchmarkResult) -> String {
        let configuration = result.configuration
        func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
        return "batch \(configuration.batch), \(counted(configuration.threads, "thread")), "
            + counted(configuration.streams, "stream")
    }

    private static func milliseconds(_ seconds: Double) -> String { (1000 * seconds).text(decimals: 3) }
}
