extension ComparisonPage {
    /// The tooltip of a layer's run in a configuration.
    private func tip(_ layer: Comparison.Layer, _ index: Int) -> String {
        let name = comparison.results[index].name
        guard let run = layer.runs[index] else { return "\(layer.name)\n\(name) has no such layer" }
        var lines = [
            layer.name, "\(layer.operator) → \(layer.shape.map(String.init).joined(separator: "×"))",
            "\(name): \(Figure.time(run.seconds)) on \(run.backend)/\(run.lowering)",
        ]
        if let fraction = run.peakFraction, let bound = run.bound {
            lines.append(
                "\(Figure.percent(fraction)) of the limit of \(bound == .compute ? "arithmetic" : "bandwidth")")
        }
        if let first = run.stripsWith { lines.append("runs strip by strip with \(first)") }
        if run.multiplyAdds > 0 {
            lines.append("\(RooflineChart.speed(2 * Double(run.multiplyAdds) / max(run.seconds, 1e-12)))/s")
        }
        return lines.joined(separator: "\n")
    }

    /// A chart of the time of every layer, of copies and of the rest, with a bar for each configuration.
    var layerBars: String {
        let bars = comparison.results.enumerated().map { index, result in
            var segments = comparison.layers.compactMap { layer in
                layer.runs[index].map { run in
                    StackedBars.Segment(
                        seconds: run.seconds, kind: layer.operator, tip: tip(layer, index))
                }
            }
            if let profile = result.profile {
                let copies = profile.layers.filter { $0.work != .layer }.reduce(0) { $0 + $1.seconds }
                segments.append(
                    StackedBars.Segment(
                        seconds: copies, kind: nil, tip: "copies between layers\n\(Figure.time(copies))"))
                let rest = max(0, profile.seconds - profile.layerSeconds)
                segments.append(
                    StackedBars.Segment(
                        seconds: rest, kind: nil,
                        tip: "the rest: \(Figure.time(rest))\nscheduling \(Figure.time(profile.rest.scheduling))\n"
                            + "inputs and outputs \(Figure.time(profile.rest.copies))\n"
                            + "waiting \(Figure.time(profile.rest.waiting))"))
            }
            return StackedBars.Bar(name: result.name, segments: segments.filter { $0.seconds > 0 })
        }
        return StackedBars(label: "Time by layer", bars: bars).html
    }

    /// A chart with a dot for every layer of every configuration, below the machine's limits.
    var roofline: String {
        var dots: [RooflineChart.Dot] = []
        var roofs: [RooflineChart.Roof] = []
        for (index, result) in comparison.results.enumerated() {
            let total = result.profile?.seconds ?? 0
            for layer in comparison.layers {
                guard let run = layer.runs[index], run.multiplyAdds > 0, run.bytes > 0, run.seconds > 0, total > 0
                else {
                    continue
                }
                dots.append(
                    RooflineChart.Dot(
                        intensity: 2 * Double(run.multiplyAdds) / Double(run.bytes),
                        speed: 2 * Double(run.multiplyAdds) / run.seconds, share: run.seconds / total,
                        tip: tip(layer, index), color: index))
            }
            for limits in [result.benchmark.limits, result.benchmark.deviceLimits].compactMap({ $0 }) {
                let threads = limits.threads.map { ", \($0) \($0 == 1 ? "thread" : "threads")" } ?? ""
                let name = (limits.threads == nil ? "device" : "processor") + threads
                let (peak, bandwidth) = (2 * limits.multiplyAddsPerSecond, limits.bytesPerSecond)
                let position = roofs.firstIndex { $0.peak == peak && $0.bandwidth == bandwidth }
                guard let position else {
                    roofs.append(RooflineChart.Roof(name: name, peak: peak, bandwidth: bandwidth))
                    continue
                }
                if !roofs[position].name.contains(name) { roofs[position].name += "; \(name)" }
            }
        }
        return RooflineChart(label: "Roofline of all layers", dots: dots, roofs: roofs).html
    }

    /// A drawing of the network for each configuration, in tabs.
    package var drawings: String {
        let positions = Dictionary(
            comparison.layers.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        let sources = comparison.layers.map { $0.sources.compactMap { positions[$0] } }
        let layout = LayeredLayout(sources: sources)
        let backends = comparison.layers.flatMap { $0.runs.compactMap { $0?.backend } }.reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }.sorted()
        let panels = comparison.results.enumerated().map { index, result in
            let longest = comparison.layers.compactMap { $0.runs[index]?.seconds }.max() ?? 0
            let nodes = comparison.layers.enumerated().map { position, layer in
                let run = layer.runs[index]
                let color = run.flatMap { backends.firstIndex(of: $0.backend) } ?? 7
                let isTimed = run.map { $0.seconds > 0 } ?? false
                return GraphDrawing.Node(
                    name: layer.name, sources: sources[position],
                    share: run.flatMap { isTimed && longest > 0 ? $0.seconds / longest : nil },
                    style: isTimed ? "dot f\(color % 8)" : "hollow", tip: tip(layer, index))
            }
            return (
                result.name,
                GraphDrawing(label: "The network on \(result.name)", nodes: nodes, layout: layout).html
            )
        }
        let entries = backends.enumerated().map { ($1, "f\($0 % 8)") } + [("takes no time", "hollow")]
        return ReportPage.legend(entries) + ReportPage.tabs("network", panels, selected: comparison.fastest)
    }

    /// A table with a row for every layer.
    var layerTable: String {
        var columns: [ReportTable.Column] = [
            .number("#", "The position in execution order."), .text("layer"), .text("operator"), .text("output"),
        ]
        for result in comparison.results {
            columns.append(.number(result.name, "Time; the shaded part is relative to the slowest layer."))
            columns.append(.number("of limit", "The time at the machine's limit, as a share of the measured time."))
        }
        if comparison.plannersChoice != nil {
            columns.append(.text("planner's choice"))
            columns.append(.number("saved", "Compared with the first configuration."))
        }
        var table = ReportTable("Time of every layer", columns)
        let longest = comparison.results.indices.map { index in
            comparison.layers.compactMap { $0.runs[index]?.seconds }.max() ?? 0
        }
        for (position, layer) in comparison.layers.enumerated() {
            let best = layer.runs.compactMap { $0?.seconds }.filter { $0 > 0 }.min()
            let nodes = layer.nodes.filter { $0 != layer.name }
            var cells: [ReportTable.Cell] = [
                .number(Double(position + 1)) { String(Int($0)) },
                .text(
                    layer.name, style: "name",
                    tip: layer.name + (nodes.isEmpty ? "" : "\nwith \(nodes.joined(separator: ", ")) fused into it")),
                .text(layer.operator, style: "muted"),
                .text(layer.shape.map(String.init).joined(separator: "×"), style: "muted"),
            ]
            for (index, run) in layer.runs.enumerated() {
                var time = ReportTable.Cell.number(
                    run?.seconds, { $0 > 0 ? Figure.time($0) : "–" },
                    bar: run.map { longest[index] > 0 ? $0.seconds / longest[index] : 0 })
                if let run, run.seconds == best, best != nil { time.style = "best" }
                time.tip = tip(layer, index)
                cells.append(time)
                var fraction = ReportTable.Cell.number(run?.peakFraction, Figure.percent)
                if let bound = run?.bound {
                    fraction.tip = "limited by \(bound == .compute ? "arithmetic" : "bandwidth")"
                }
                cells.append(fraction)
            }
            if let plannersChoice = comparison.plannersChoice {
                let choice = layer.runs[plannersChoice]
                cells.append(.text(choice.map { "\($0.backend)/\($0.lowering)" } ?? "–", style: "muted"))
                cells.append(
                    .number(comparison.saving(layer, in: 0)) {
                        $0 == 0 ? "–" : ($0 < 0 ? "−" : "") + Figure.time(abs($0))
                    })
            }
            table.append(cells)
        }
        return table.html
    }
}
