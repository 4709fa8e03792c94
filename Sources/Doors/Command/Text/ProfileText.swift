import Apus
import FoundationEssentials
import Measuring
import Platform
import SharedOptions

/// The text of a profile: a line per layer, a line per kind of operator, and the remaining time.
struct ProfileText {
    private let profile: Profile

    init(_ profile: Profile) { self.profile = profile }

    var lines: [String] { layers + [""] + operators + [""] + totals }

    private var layers: [String] {
        var table = TextTable(
            [
                ("", .right), ("", .left), ("layer", .left), ("operator", .left), ("shapes", .left), ("kernel", .left),
            ] + Self.measures)
        var idle = 0
        for (index, layer) in profile.layers.enumerated() {
            if layer.seconds == 0 {
                idle += 1
                continue
            }
            let inputs = layer.inputs.first.map { "\($0)" } ?? "[]"
            table.append(
                [
                    "\(index + 1)", bracket(index), layer.name, layer.operator,
                    "\(inputs) → \(layer.outputs.map { "\($0)" }.joined(separator: ", "))",
                    "\(layer.backend)/\(layer.lowering)",
                ] + measures(layer.seconds, layer.gigaflopsPerSecond, layer.gigabytesPerSecond, layer.peakFraction)
                    + [layer.bound?.rawValue ?? "", Self.busy(layer)])
        }
        let rest = idle == 0 ? [] : ["\(idle) other layer\(idle == 1 ? " takes" : "s take") no time: views and slices"]
        return table.lines() + rest
    }

    private var operators: [String] {
        var table = TextTable(
            [("operator", .left), ("backend", .left), ("layers", .right)] + Self.measures.dropLast(2))
        for share in profile.operators {
            table.append(
                [share.operator, share.backend, "\(share.count)"]
                    + measures(share.seconds, share.gigaflopsPerSecond, share.gigabytesPerSecond, share.peakFraction))
        }
        return table.lines()
    }

    private var totals: [String] {
        let rest = profile.rest
        var table = TextTable([("", .left), ("", .right), ("", .right), ("", .left)])
        func append(_ name: String, _ seconds: Double, _ remark: String = "") {
            table.append(["  " + name, Self.time(seconds), share(seconds), remark])
        }
        append("layers", profile.layerSeconds)
        append("copies", rest.copies, "of inputs and outputs")
        if rest.waiting != 0 { append("waiting", rest.waiting, "for a device that does no layer meanwhile") }
        append("queueing", rest.queueing, "for a stream and its thread")
        append("scheduling", rest.scheduling, "between layers, and memory for outputs")
        if rest.overlap != 0 { append("overlap", rest.overlap, "processor and device side by side, counted twice") }
        append("run", profile.seconds, profile.runs == 1 ? "once" : "the mean of \(profile.runs.grouped) runs")
        var lines = table.lines()
        for limits in [profile.limits, profile.deviceLimits].compactMap({ $0 }) {
            let threads = limits.threads.map { ", \($0) thread\($0 == 1 ? "" : "s")" } ?? ""
            lines.append(
                "  peak        \(limits.gigaflopsPerSecond.text(decimals: 1)) GFLOP/s, "
                    + "\(limits.gigabytesPerSecond.text(decimals: 1)) GB/s: \(limits.device)\(threads)")
        }
        return lines
    }

    private static let measures: [(heading: String, alignment: TextTable.Alignment)] = [
        ("time", .right), ("share", .right), ("GFLOP/s", .right), ("GB/s", .right), ("of peak", .right),
        ("bound by", .left), ("busy", .right),
    ]

    private func measures(_ seconds: Double, _ gigaflops: Double, _ gigabytes: Double, _ fraction: Double?) -> [String]
    {
        [
            Self.time(seconds), share(seconds), gigaflops.text(decimals: 1), gigabytes.text(decimals: 1),
            fraction.map(Self.percent) ?? "",
        ]
    }

    /// The bracket that joins the lines of layers that run together.
    private func bracket(_ index: Int) -> String {
        guard let first = profile.layers[index].firstOfStrips else { return "" }
        let isLast = index + 1 == profile.layers.count || profile.layers[index + 1].firstOfStrips != first
        return index == first ? "┌" : isLast ? "└" : "│"
    }

    /// The share of the time in which the threads worked.
    private static func busy(_ layer: Profile.Layer) -> String {
        guard !layer.threadSeconds.isEmpty, layer.firstOfStrips == nil, layer.seconds > 0 else { return "" }
        let work = layer.threadSeconds.reduce(0, +)
        return work > 0 ? percent(work / Double(layer.threadSeconds.count) / layer.seconds) : ""
    }

    private func share(_ seconds: Double) -> String {
        profile.seconds > 0 ? "\((100 * seconds / profile.seconds).text(decimals: 1)) %" : ""
    }

    private static func percent(_ part: Double) -> String { "\((100 * part).text(decimals: 0)) %" }

    private static func time(_ seconds: Double) -> String { "\((1e6 * seconds).text(decimals: 1)) µs" }
}
