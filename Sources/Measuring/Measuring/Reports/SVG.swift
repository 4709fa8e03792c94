import Glibc

/// A drawing made of shapes, as SVG text for an HTML page. It escapes all text.
struct SVG {
    private let width: Double
    private let height: Double
    private let label: String
    private var content = ""

    /// - Parameter label: The description for screen readers.
    init(width: Double, height: Double, label: String) {
        (self.width, self.height, self.label) = (width, height, label)
    }

    /// The HTML element.
    var html: String {
        let (w, h) = (Self.number(width), Self.number(height))
        return
            "<svg viewBox=\"0 0 \(w) \(h)\" width=\"\(w)\" role=\"img\" aria-label=\"\(label.escapedHTML)\">\(content)</svg>"
    }

    /// A coordinate with at most one decimal.
    static func number(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    /// - Parameters:
    ///   - style: The CSS classes of the page's style.
    ///   - tip: The tooltip; line breaks are kept.
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

    /// The alignment of text at a point.
    enum Anchor: String { case start, middle, end }

    mutating func text(_ text: String, x: Double, y: Double, anchor: Anchor = .start, style: String = "") {
        let place = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
        content +=
            "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\"\(place)\(Self.attributes(style, nil))>"
            + "\(text.escapedHTML)</text>"
    }

    /// Adds text that is rotated about its start.
    mutating func turnedText(_ text: String, x: Double, y: Double, degrees: Double, style: String = "") {
        content +=
            "<text transform=\"translate(\(Self.number(x)) \(Self.number(y))) rotate(\(Self.number(degrees)))\""
            + "\(Self.attributes(style, nil))>\(text.escapedHTML)</text>"
    }

    private static func attributes(_ style: String, _ tip: String?) -> String {
        (style.isEmpty ? "" : " class=\"\(style)\"") + (tip?.tipAttribute ?? "")
    }
}

/// An axis with ticks in equal steps, or in powers of ten on a logarithmic axis.
package struct Axis {
    /// The numbers at the ticks.
    package let ticks: [Double]
    private let low: Double
    private let high: Double
    private let isLogarithmic: Bool
    private let start: Double
    private let end: Double

    /// Makes an axis from 0 to at least `maximum`, between two coordinates.
    package static func linear(to maximum: Double, from start: Double, to end: Double) -> Axis {
        let maximum = maximum > 0 && maximum.isFinite ? maximum : 1
        let rough = maximum / 5
        let power = pow(10, floor(log10(rough)))
        let step = [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= rough * 0.999 } ?? rough
        let count = Int((maximum / step).rounded(.up))
        return Axis(
            ticks: (0...count).map { Double($0) * step }, low: 0, high: Double(count) * step, isLogarithmic: false,
            start: start, end: end)
    }

    /// Makes an axis of powers of ten that covers `minimum` to `maximum`.
    package static func logarithmic(
        from minimum: Double, to maximum: Double, from start: Double, to end: Double
    ) -> Axis {
        let first = floor(log10(max(minimum, 1e-300)))
        let last = max(first + 1, ceil(log10(max(maximum, 1e-300))))
        let step = max(1, ((last - first) / 9).rounded(.up))
        return Axis(
            ticks: stride(from: first, through: last, by: step).map { pow(10, $0) }, low: first, high: last,
            isLogarithmic: true, start: start, end: end)
    }

    /// The coordinate of a number; numbers beyond an end are placed at that end.
    package func position(_ value: Double) -> Double {
        let place = isLogarithmic ? log10(max(value, 1e-300)) : value
        return start + (end - start) * min(1, max(0, (place - low) / (high - low)))
    }
}
