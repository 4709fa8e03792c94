/// A chart of horizontal bars with spreads, one bar per configuration.
struct BarChart {
    /// A bar.
    struct Bar {
        let name: String
        let value: Double
        /// The range from the shortest time to the 90th percentile.
        let spread: ClosedRange<Double>
        /// The text after the bar.
        let text: String
        let tip: String
        /// The index of the colour.
        let color: Int
    }

    let label: String
    let bars: [Bar]
    /// The format of the numbers at the axis.
    let format: (Double) -> String

    /// The maximum ratio of a bar to the shortest one. Longer bars are cut, so that the others can be distinguished.
    private static let longest = 8.0

    /// The maximum number of characters of a name; longer names are cut.
    static let maximumNameLength = 34

    /// The width of the column of names.
    static func nameWidth(_ names: [String]) -> Double {
        28 + 7.4 * Double(min(maximumNameLength, names.map(\.count).max() ?? 0))
    }

    /// The largest number that the axis shows.
    static func limit(_ values: [Double]) -> Double {
        let shown = values.filter { $0 <= longest * (values.min() ?? 0) }
        return shown.max() ?? 0
    }

    var html: String {
        let left = Self.nameWidth(bars.map(\.name))
        let (width, right, rowHeight) = (1070.0, 190.0, 34.0)
        let bottom = Double(bars.count) * rowHeight
        let maximum = Self.limit(bars.map(\.value))
        let axis = Axis.linear(to: maximum * 1.05, from: left, to: width - right)
        var svg = SVG(width: width, height: bottom + 26, label: label)
        for tick in axis.ticks {
            let x = axis.position(tick)
            svg.line(x, 0, x, bottom, style: "grid")
            svg.text(format(tick), x: x, y: bottom + 17, anchor: .middle, style: "muted small")
        }
        for (index, bar) in bars.enumerated() {
            let y = Double(index) * rowHeight
            let end = axis.position(bar.value)
            svg.text(
                Self.shortened(bar.name, to: Self.maximumNameLength), x: left - 12, y: y + 21, anchor: .end,
                style: "strong")
            svg.rectangle(
                x: left, y: y + 7, width: end - left, height: 20, style: "f\(bar.color % 8)", tip: bar.tip, radius: 3)
            if bar.value > maximum {
                Self.mark(cutAt: end - 26, y + 4, height: 26, &svg)
                svg.text(bar.text, x: end + 12, y: y + 21)
                continue
            }
            let (low, high) = (axis.position(bar.spread.lowerBound), axis.position(bar.spread.upperBound))
            svg.line(low, y + 17, high, y + 17, style: "whisker")
            svg.line(low, y + 12, low, y + 22, style: "whisker")
            svg.line(high, y + 12, high, y + 22, style: "whisker")
            svg.text(bar.text, x: max(end, high) + 12, y: y + 21)
        }
        return svg.html
    }

    /// Draws the gap of a cut bar.
    static func mark(cutAt x: Double, _ y: Double, height: Double, _ svg: inout SVG) {
        let (a, b) = (SVG.number(y), SVG.number(y + height))
        svg.path(
            "M\(SVG.number(x + 5)) \(a)L\(SVG.number(x + 11)) \(a)L\(SVG.number(x + 5)) \(b)L\(SVG.number(x - 1)) \(b)Z",
            style: "broken")
    }

    /// A name, cut to a number of characters.
    static func shortened(_ name: String, to count: Int) -> String {
        name.count > count ? name.prefix(count - 1) + "…" : name
    }
}
