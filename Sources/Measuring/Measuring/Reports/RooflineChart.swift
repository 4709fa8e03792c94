import Platform

/// A roofline chart: the speed of layers over their arithmetic intensity, below the machine's limits.
///
/// The roof is min(peak, intensity · bandwidth), in operations per second. Source: Williams, Waterman, Patterson,
/// Roofline, https://doi.org/10.1145/1498765.1498785
struct RooflineChart {
    /// A layer.
    struct Dot {
        /// The operations per byte.
        let intensity: Double
        /// The operations per second.
        let speed: Double
        /// The share of the time, from 0 to 1.
        let share: Double
        let tip: String
        let color: Int
    }

    /// The limits of a machine.
    struct Roof {
        var name: String
        /// The operations per second.
        let peak: Double
        /// The bytes per second.
        let bandwidth: Double
    }

    let label: String
    let dots: [Dot]
    let roofs: [Roof]

    var html: String {
        let (width, height, left, bottom) = (1070.0, 420.0, 70.0, 376.0)
        let shown = dots.filter { $0.intensity > 0 && $0.speed > 0 && $0.speed.isFinite }
        let ridges = roofs.map { $0.peak / $0.bandwidth }
        let intensities = shown.map(\.intensity) + ridges
        guard let minimum = intensities.min(), let maximum = intensities.max() else {
            return "<p>No layer computes anything.</p>"
        }
        let speeds = shown.map(\.speed) + roofs.map(\.peak)
        let x = Axis.logarithmic(from: minimum / 1.5, to: maximum * 1.5, from: left, to: width - 20)
        let y = Axis.logarithmic(from: speeds.min() ?? 1, to: (speeds.max() ?? 1) * 1.2, from: bottom, to: 14)
        var svg = SVG(width: width, height: height, label: label)
        for tick in x.ticks {
            svg.line(x.position(tick), 14, x.position(tick), bottom, style: "grid")
            svg.text(Self.power(tick), x: x.position(tick), y: bottom + 17, anchor: .middle, style: "muted small")
        }
        for tick in y.ticks {
            svg.line(left, y.position(tick), width - 20, y.position(tick), style: "grid")
            svg.text(Self.speed(tick), x: left - 8, y: y.position(tick) + 4, anchor: .end, style: "muted small")
        }
        svg.text(
            "operations for each byte", x: (left + width - 20) / 2, y: bottom + 38, anchor: .middle, style: "muted")
        for roof in roofs {
            let ridge = roof.peak / roof.bandwidth
            let start = x.ticks.first ?? ridge
            // The intensity at which the slope enters the chart.
            let entry = max(start, (y.ticks.first ?? 1) / roof.bandwidth)
            let points = [(entry, entry * roof.bandwidth), (ridge, roof.peak), (x.ticks.last ?? ridge, roof.peak)]
            let path = points.map { "\(SVG.number(x.position($0.0))) \(SVG.number(y.position($0.1)))" }
            svg.path("M" + path.joined(separator: "L"), style: "roof")
            svg.text(
                "\(roof.name): \(Self.speed(roof.peak))/s, \(Figure.bytes(Int(roof.bandwidth)))/s", x: width - 24,
                y: y.position(roof.peak) - 7, anchor: .end, style: "small strong")
        }
        for dot in shown.sorted(by: { $0.share > $1.share }) {
            svg.circle(
                x: x.position(dot.intensity), y: y.position(dot.speed), radius: 3 + 11 * dot.share.squareRoot(),
                style: "dot f\(dot.color % 8)", tip: dot.tip)
        }
        return svg.html
    }

    /// A number of operations with its prefix, as in `2.5 GFLOP`.
    static func speed(_ value: Double) -> String {
        if value >= 1e12 { return "\(Self.short(value / 1e12)) TFLOP" }
        if value >= 1e9 { return "\(Self.short(value / 1e9)) GFLOP" }
        return "\(Self.short(value / 1e6)) MFLOP"
    }

    private static func short(_ value: Double) -> String {
        value == value.rounded() && value < 1e6 ? String(Int(value)) : Figure.number(value)
    }

    private static func power(_ value: Double) -> String {
        value >= 1 && value < 1e6 ? String(Int(value.rounded())) : value.text("%g")
    }
}
