import Glibc

/// A chart of the error of every layer in execution order, on a logarithmic axis, with the tolerance as a line.
struct ErrorChart {
    /// The errors of one configuration.
    struct Series {
        /// A layer; its error is nil when it could not be compared.
        struct Point {
            let error: Double?
            let tip: String
        }

        let points: [Point]
        let color: Int
        /// The point that is labelled with its name.
        var mark: (index: Int, name: String)?
    }

    let label: String
    let series: [Series]
    let tolerance: Double

    /// The bottom of the axis; smaller errors are drawn here.
    private static let minimum = 1e-9
    /// The top of the axis; larger and infinite errors are drawn here.
    private static let maximum = 10.0

    var html: String {
        let (width, height, left, bottom, right) = (1070.0, 330.0, 70.0, 292.0, 20.0)
        let count = series.map(\.points.count).max() ?? 0
        let y = Axis.logarithmic(from: Self.minimum, to: Self.maximum, from: bottom, to: 12)
        func x(_ index: Int) -> Double {
            left + 12 + (width - right - left - 24) * Double(index) / Double(max(1, count - 1))
        }
        var svg = SVG(width: width, height: height, label: label)
        for tick in y.ticks {
            svg.line(left, y.position(tick), width - right, y.position(tick), style: "grid")
            svg.text(Self.power(tick), x: left - 8, y: y.position(tick) + 4, anchor: .end, style: "muted small")
        }
        svg.text(
            "layers in execution order", x: (left + width) / 2, y: height - 6, anchor: .middle, style: "muted")
        svg.line(left, y.position(tolerance), width - right, y.position(tolerance), style: "limit")
        svg.text(
            "tolerance \(Figure.error(tolerance))", x: width - right, y: y.position(tolerance) - 6, anchor: .end,
            style: "small badtext")
        for one in series {
            let known = one.points.enumerated().filter { $0.element.error != nil }
            let places = known.map { index, point in (x(index), y.position(Self.drawn(point.error ?? 0)), point) }
            let path = places.map { "\(SVG.number($0.0)) \(SVG.number($0.1))" }.joined(separator: "L")
            if !path.isEmpty { svg.path("M\(path)", style: "trace s\(one.color % 8)") }
            for (x, y, point) in places {
                let isTooLarge = !((point.error ?? 0) <= tolerance)
                svg.circle(
                    x: x, y: y, radius: isTooLarge ? 5 : 3.2, style: "dot f\(one.color % 8)", tip: point.tip)
            }
            if let (index, name) = one.mark, let error = one.points[index].error {
                let isLeft = index * 2 > count
                svg.text(
                    BarChart.shortened(name, to: 40), x: x(index) + (isLeft ? -9 : 9),
                    y: y.position(Self.drawn(error)) + 4, anchor: isLeft ? .end : .start, style: "small strong")
            }
        }
        return svg.html
    }

    private static func drawn(_ error: Double) -> Double { error.isFinite ? max(minimum, error) : maximum }

    private static func power(_ value: Double) -> String {
        value <= minimum * 1.5
            ? "≤ 1e-9" : value >= 1 ? String(Int(value)) : "1e\(Int(log10(value).rounded()))"
    }
}
