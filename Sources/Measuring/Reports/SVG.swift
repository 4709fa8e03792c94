import Foundation

/// A picture that is put together from shapes, as text for an HTML page. Text is escaped here.
struct SVG {
    private let width: Double
    private let height: Double
    private let label: String
    private var content = ""

    /// - Parameter label: What the picture shows, for those who do not see it.
    init(width: Double, height: Double, label: String) {
        (self.width, self.height, self.label) = (width, height, label)
    }

    /// The element.
    var html: String {
        let (w, h) = (Self.number(width), Self.number(height))
        return
            "<svg viewBox=\"0 0 \(w) \(h)\" width=\"\(w)\" role=\"img\" aria-label=\"\(label.escapedHTML)\">\(content)</svg>"
    }

    /// A coordinate with one decimal at most.
    static func number(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    /// - Parameters:
    ///   - style: Classes of the page's style.
    ///   - tip: What is shown where the pointer is; lines are kept.
    mutating func rectangle(
        x: Double, y: Double, width: Double, height: Double, style: String, tip: String? = nil, radius: Double = 0
    ) {
        let corner = radius > 0 ? " rx=\"\(Self.number(radius))\"" : ""
        content +=
            "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(max(0, width)))\""
            + " height=\"\(Self.number(max(0, height)))\"\(corner)\(Self.attributes(style, tip))/>"
    }

    mutating func circle(x: Double, y: Double, radius: Double, style: String, tip: String? = nil) {
        content +=
            "<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"\(Self.number(radius))\""
            + "\(Self.attributes(style, tip))/>"
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, style: String) {
        path("M\(Self.number(x1)) \(Self.number(y1))L\(Self.number(x2)) \(Self.number(y2))", style: style)
    }

    /// - Parameter data: The path's commands.
    mutating func path(_ data: String, style: String, tip: String? = nil) {
        content += "<path d=\"\(data)\"\(Self.attributes(style, tip))/>"
    }

    /// Text that ends, begins or is centred at a point.
    enum Anchor: String { case start, middle, end }

    mutating func text(_ text: String, x: Double, y: Double, anchor: Anchor = .start, style: String = "") {
        let place = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
        content +=
            "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\"\(place)\(Self.attributes(style, nil))>"
            + "\(text.escapedHTML)</text>"
    }

    /// Text that is turned about its beginning.
    mutating func turnedText(_ text: String, x: Double, y: Double, degrees: Double, style: String = "") {
        content +=
            "<text transform=\"translate(\(Self.number(x)) \(Self.number(y))) rotate(\(Self.number(degrees)))\""
            + "\(Self.attributes(style, nil))>\(text.escapedHTML)</text>"
    }

    private static func attributes(_ style: String, _ tip: String?) -> String {
        (style.isEmpty ? "" : " class=\"\(style)\"") + (tip?.tipAttribute ?? "")
    }
}

/// Numbers of an axis in equal or, on a logarithmic axis, tenfold steps.
package struct Axis {
    /// The numbers that stand at the axis.
    package let ticks: [Double]
    private let low: Double
    private let high: Double
    private let isLogarithmic: Bool
    private let start: Double
    private let end: Double

    /// An axis from 0 to at least `most`, between two coordinates.
    package static func linear(to most: Double, from start: Double, to end: Double) -> Axis {
        let most = most > 0 && most.isFinite ? most : 1
        let rough = most / 5
        let power = pow(10, floor(log10(rough)))
        let step = [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= rough * 0.999 } ?? rough
        let count = Int((most / step).rounded(.up))
        return Axis(
            ticks: (0...count).map { Double($0) * step }, low: 0, high: Double(count) * step, isLogarithmic: false,
            start: start, end: end)
    }

    /// An axis of powers of ten that reaches from below `least` to above `most`.
    package static func logarithmic(from least: Double, to most: Double, from start: Double, to end: Double) -> Axis {
        let first = floor(log10(max(least, 1e-300)))
        let last = max(first + 1, ceil(log10(max(most, 1e-300))))
        let step = max(1, ((last - first) / 9).rounded(.up))
        return Axis(
            ticks: stride(from: first, through: last, by: step).map { pow(10, $0) }, low: first, high: last,
            isLogarithmic: true, start: start, end: end)
    }

    /// The coordinate of a number; numbers beyond the ends stand at the ends.
    package func position(_ value: Double) -> Double {
        let place = isLogarithmic ? log10(max(value, 1e-300)) : value
        return start + (end - start) * min(1, max(0, (place - low) / (high - low)))
    }
}
