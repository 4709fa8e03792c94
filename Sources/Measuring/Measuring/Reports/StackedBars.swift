/// A chart with a bar for each configuration, divided into the parts of its time in order.
struct StackedBars {
    /// A part of a bar.
    struct Segment {
        let seconds: Double
        /// The kind in the legend, which determines the colour; nil for a segment that is not a layer.
        let kind: String?
        let tip: String
    }

    /// A bar.
    struct Bar {
        let name: String
        let segments: [Segment]
        var seconds: Double { segments.reduce(0) { $0 + $1.seconds } }
    }

    let label: String
    let bars: [Bar]

    /// The kinds with the longest total time, longest first; all others share the last colour.
    private var kinds: [String] {
        var times: [String: Double] = [:]
        for bar in bars where bar.seconds > 0 {
            for segment in bar.segments {
                if let kind = segment.kind { times[kind, default: 0] += segment.seconds / bar.seconds }
            }
        }
        return times.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(7).map(\.key)
    }

    var html: String {
        let left = BarChart.nameWidth(bars.map(\.name))
        let (width, right, rowHeight) = (1070.0, 110.0, 44.0)
        let kinds = kinds
        let colors = Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ($1, $0) })
        let bottom = Double(bars.count) * rowHeight
        let maximum = BarChart.limit(bars.map(\.seconds))
        let axis = Axis.linear(to: maximum * 1.02, from: left, to: width - right)
        var svg = SVG(width: width, height: bottom + 26, label: label)
        for tick in axis.ticks {
            let x = axis.position(tick)
            svg.line(x, 0, x, bottom, style: "grid")
            svg.text(Figure.time(tick), x: x, y: bottom + 17, anchor: .middle, style: "muted small")
        }
        for (index, bar) in bars.enumerated() {
            let y = Double(index) * rowHeight
            svg.text(
                BarChart.shortened(bar.name, to: BarChart.maximumNameLength), x: left - 12, y: y + 26, anchor: .end,
                style: "strong")
            // A bar that is too long is shown whole on a separate scale.
            let isCut = bar.seconds > maximum
            let scale = (axis.position(maximum) - left) / max(bar.seconds, 1e-12)
            var x = left
            for segment in bar.segments {
                let end = isCut ? x + segment.seconds * scale : x + axis.position(segment.seconds) - left
                // Separating lines would hide narrow segments.
                let line = end - x > 3 ? "segment " : ""
                svg.rectangle(
                    x: x, y: y + 8, width: end - x, height: 28,
                    style: "\(line)f\(segment.kind.flatMap { colors[$0] } ?? 7)",
                    tip: segment.tip)
                x = end
            }
            let text = Figure.time(bar.seconds)
            svg.text(isCut ? "\(text) *" : text, x: x + 10, y: y + 26)
        }
        let entries = kinds.enumerated().map { ($1, "f\($0)") } + [("everything else", "f7")]
        let cut = bars.contains { $0.seconds > maximum } ? "<p class=\"note\">* On a scale of its own.</p>" : ""
        return ReportPage.legend(entries) + svg.html + cut
    }
}
