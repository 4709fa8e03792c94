import Graphs
import Platform

/// A comparison as a self-contained HTML page.
///
///     try ComparisonPage(comparison).write(to: "report.html")
public struct ComparisonPage: Sendable {
    package let comparison: Comparison

    /// Makes a page.
    public init(_ comparison: Comparison) { self.comparison = comparison }

    /// Writes the page. The file appears only when it is complete.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public func write(to path: String) throws(ApusError) {
        try OutputFile.replace(path) { try $0.write(html) }
    }

    /// The text of the page.
    public var html: String {
        let isBenchmark = comparison.plannersChoice == nil
        let names = comparison.results.map(\.name).joined(separator: isBenchmark ? "; " : ", ")
        let images = comparison.batch == 1 ? "one image" : "\(comparison.batch) images"
        var page = ReportPage(
            kind: isBenchmark ? .benchmark : .comparison, title: comparison.model,
            subtitle: isBenchmark ? names : "\(names), in runs of \(images)")
        page.append(comparison.findings)
        page.append(
            "Time",
            note: """
                The median of a run. The line reaches from the shortest run to the 90th percentile.\
                \(isBenchmark ? "" : " Configurations took turns, so that changes of the machine's speed affect all alike.")
                """, html: "<div class=\"chart\">\(timeChart)</div>\n\(resultTable)")
        if !comparison.peers.isEmpty {
            page.append(
                "Other engines",
                note: """
                    The same network, inputs and threads, in turns with the configurations. Ratios, and errors of outputs, \
                    are to \(comparison.results[0].name).
                    """, html: peerTable)
        }
        if comparison.results.contains(where: { $0.profile != nil }) { appendLayers(to: &page) }
        if comparison.results.contains(where: { $0.agreement != nil }) {
            page.append(
                "Agreement", note: agreementNote,
                html: "<div class=\"chart\">\(legend)\(errorChart)</div>\n\(agreementTable)")
        }
        page.append("How this was made", html: environmentTable)
        return page.html
    }

    private func appendLayers(to page: inout ReportPage) {
        page.append(
            "Where the time goes",
            note: "Every layer in execution order, coloured by its operator; then copies and everything else.",
            html: "<div class=\"chart\">\(layerBars)</div>")
        page.append(
            "The machine's limits",
            note: """
                A dot is a layer; its size is its share of the time. Under the slope memory is the limit, under the flat part \
                arithmetic. A layer on the line is as fast as it can be; one above it reads from caches, or makes fewer \
                multiply-adds than its definition, as Winograd's kernels do.
                """, html: "<div class=\"chart\">\(legend)\(roofline)</div>")
        page.append(
            "The network",
            note:
                "A circle is a layer; its size is its time, its colour the backend. Data flows to the right.",
            html: "<div class=\"chart\">\(drawings)</div>")
        let saved =
            comparison.plannersChoice == nil
            ? ""
            : " Saved is what the layer takes less on the kernel that the planner chooses than on \(comparison.results[0].name)."
        page.append(
            "Layers",
            note: "Time on each configuration, with the part of it that the machine's limit explains.\(saved)",
            html: layerTable)
    }

    /// The legend of the configurations' colours.
    var legend: String {
        ReportPage.legend(comparison.results.enumerated().map { ($1.name, "f\($0 % 8)") })
    }

    private var timeChart: String {
        let bars = comparison.results.enumerated().map { index, result in
            let latency = result.benchmark.latency
            let low = latency?.minimum ?? result.seconds
            let high = latency?.p90 ?? result.seconds
            let rate = "\(Figure.number(result.imagesPerSecond)) images/s"
            let tip = latency.map {
                "\(result.name)\nmedian \(Figure.time($0.p50)) of \($0.count) runs\n"
                    + "shortest \(Figure.time($0.minimum)), nine in ten within \(Figure.time($0.p90))\n"
                    + "mean \(Figure.time($0.mean)) ± \(Figure.time($0.standardDeviation))"
            }
            return BarChart.Bar(
                name: result.label, value: result.seconds, spread: low...max(low, high),
                text: "\(Figure.time(result.seconds)) · \(rate)", tip: tip ?? result.name, color: index)
        }
        return BarChart(label: "Median time of a run by configuration", bars: bars, format: Figure.time).html
    }

    private var resultTable: String {
        var table = ReportTable(
            "Time and memory of each configuration",
            [
                .text("configuration"), .number("median"), .number("shortest"), .number("p90"),
                .number("deviation", "Standard deviation of a run."), .number("images/s"),
                .number("ratio", "Median of the rounds' ratios to the first configuration."),
                .number("spread", "One round in ten is lower, one higher."),
                .number("start", "Planning and arranging weights."),
                .number("values", "Memory for the values between layers, the device's included."),
                .number("grown by", "How much the memory of the process grew while it started and ran once."),
            ])
        for (index, result) in comparison.results.enumerated() {
            let latency = result.benchmark.latency
            let memory = result.benchmark.memory
            let name = ReportTable.Cell.text(result.label, style: index == comparison.fastest ? "best" : "")
            table.append([
                name, .number(latency?.p50, Figure.time), .number(latency?.minimum, Figure.time),
                .number(latency?.p90, Figure.time), .number(latency?.standardDeviation, Figure.time),
                .number(result.imagesPerSecond, Figure.number), .number(result.ratio.median, Figure.factor),
                ReportTable.Cell(
                    text: "\(Figure.number(result.ratio.low)) – \(Figure.number(result.ratio.high))",
                    order: result.ratio.high - result.ratio.low),
                .number(result.benchmark.planSeconds, Figure.time),
                .number(Double(memory.arenaBytes + memory.deviceArenaBytes)) { Figure.bytes(Int($0)) },
                .number(result.residentBytes.map(Double.init)) { Figure.bytes(Int($0)) },
            ])
        }
        return table.html
    }

    private var peerTable: String {
        var table = ReportTable(
            "Other engines",
            [
                .text("engine"), .text("version"), .number("median"), .number("shortest"), .number("ratio"),
                .text("spread"), .number("loading", "Without starting Python and the engine's package."),
                .number("memory", "The largest of its process, beyond that of Python and the package."),
                .number("largest error", "The largest relative error of an output."), .text(""),
            ])
        for peer in comparison.peers {
            table.append([
                .text(peer.name), .text(peer.version ?? ""), .number(peer.latency?.p50, Figure.time),
                .number(peer.latency?.minimum, Figure.time), .number(peer.ratio?.median, Figure.factor),
                .text(peer.ratio.map { "\(Figure.number($0.low)) – \(Figure.number($0.high))" } ?? ""),
                .number(peer.loadSeconds, Figure.time),
                .number(peer.modelBytes.map(Double.init)) { Figure.bytes(Int($0)) },
                .number(peer.largestRelativeError, Figure.error), .text(peer.failure ?? "", style: "wrap"),
            ])
        }
        return table.html
    }

    private var environmentTable: String {
        var table = ReportTable("The machine and the configurations", [.text(""), .text("")])
        func add(_ name: String, _ value: String) { table.append([.text(name), .text(value, style: "wrap")]) }
        add("Apus", comparison.version)
        var limits: [MachineLimits] = []
        for result in comparison.results {
            for one in [result.benchmark.limits, result.benchmark.deviceLimits].compactMap({ $0 })
            where !limits.contains(one) { limits.append(one) }
        }
        for one in limits {
            let threads = one.threads.map { ", \($0) \($0 == 1 ? "thread" : "threads")" } ?? ""
            add(
                "limit of \(one.device)\(threads)",
                "\(RooflineChart.speed(1e9 * one.gigaflopsPerSecond))/s, \(Figure.number(one.gigabytesPerSecond)) GB/s")
        }
        for result in comparison.results {
            let configuration = result.benchmark.configuration
            let backends =
                configuration.backends.isEmpty ? "all backends" : configuration.backends.joined(separator: ", ")
            add(
                result.name,
                "\(backends); \(configuration.threads) \(configuration.threads == 1 ? "thread" : "threads"), "
                    + "\(configuration.precision), layers chosen by \(configuration.choice); "
                    + configuration.devices.joined(separator: "; "))
            if let noise = result.benchmark.noise { add("\(result.name), noise", noise) }
        }
        if let choice = comparison.plannersChoice {
            add(
                "planner",
                "chooses what \(comparison.results[choice].name) runs, when it may use the backends of all configurations"
            )
        }
        let count = comparison.inputs.count
        let shown = comparison.inputs.prefix(8).joined(separator: ", ") + (count > 8 ? " and \(count - 8) more" : "")
        add("inputs", comparison.isSeeded ? "random numbers, which say nothing about accuracy" : shown)
        if comparison.results.contains(where: { $0.agreement != nil }) { add("reference", comparison.reference) }
        return table.html
    }
}
