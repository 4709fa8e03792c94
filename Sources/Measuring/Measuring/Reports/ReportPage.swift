import Models
import Platform
import Runs

/// The frame of every page: a self-contained HTML document, for light and dark screens and for print.
package struct ReportPage {
    /// The kind of the page.
    package let kind: Kind
    package let title: String
    /// A line under the title.
    let subtitle: String
    private var body = ""

    package init(kind: Kind, title: String, subtitle: String) {
        (self.kind, self.title, self.subtitle) = (kind, title, subtitle)
    }

    /// The kinds of pages, named as in their headings.
    package enum Kind: String, Sendable {
        case benchmark = "Benchmark"
        case comparison = "Comparison"
        case evaluation = "Evaluation"
        case predictions = "Predictions"
        case quantization = "Quantization"

        /// The command that writes such pages.
        package var command: String {
            switch self {
            case .benchmark: "bench"
            case .comparison: "compare"
            case .evaluation: "evaluate"
            case .predictions: "predict"
            case .quantization: "quantize"
            }
        }
    }

    /// The text that identifies a page of a kind; the version follows it.
    package static func mark(_ kind: Kind) -> String { "<meta name=\"generator\" content=\"apus \(kind.command) " }

    /// Adds a section.
    ///
    /// - Parameters:
    ///   - note: A paragraph under the heading, as text.
    ///   - html: The content, with everything that comes from files escaped.
    package mutating func append(_ heading: String, note: String? = nil, html: String) {
        let note = note.map { "<p class=\"note\">\($0.escapedHTML)</p>\n" } ?? ""
        body += "<section>\n<h2>\(heading.escapedHTML)</h2>\n\(note)\(html)\n</section>\n"
    }

    /// Adds the main findings: questions with their answers.
    package mutating func append(_ findings: [Finding]) {
        let cards = findings.map { finding in
            let answers = finding.answer.enumerated().map { position, sentence in
                "<p\(position == 0 ? " class=\"answer\"" : "")>\(sentence.replacing(" %", with: "\u{A0}%").escapedHTML)</p>"
            }
            return
                "<div class=\"card \(finding.tone.rawValue)\"><h3>\(finding.question.escapedHTML)</h3>\(answers.joined())</div>"
        }
        body += "<section class=\"cards\">\n\(cards.joined(separator: "\n"))\n</section>\n"
    }

    /// The text of the page.
    package var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        \(Self.mark(kind))\(Version.current)">
        <title>\(title.escapedHTML)</title>
        <style>
        \(Self.style)
        </style>
        </head>
        <body>
        <header>
        <p class="kind">\(kind.rawValue)</p>
        <h1>\(title.escapedHTML)</h1>
        <p class="subtitle">\(subtitle.escapedHTML)</p>
        </header>
        <main>
        \(body)</main>
        <footer>Made by Apus \(Version.current). This page needs no network; everything is in this file.</footer>
        <div id="tip" hidden></div>
        <script>
        \(Self.script)
        </script>
        </body>
        </html>

        """
    }

    /// A legend of names with their colours.
    ///
    /// - Parameter entries: The texts, and the CSS classes that colour their marks.
    static func legend(_ entries: [(text: String, style: String)]) -> String {
        let items = entries.map { "<li><i class=\"\($0.style)\"></i>\($0.text.escapedHTML)</li>" }
        return "<ul class=\"legend\">\(items.joined())</ul>"
    }

    /// Panels in tabs, of which one is shown.
    ///
    /// - Parameters:
    ///   - group: The id of these tabs, unique in the page.
    ///   - selected: The index of the panel that is shown first and in print.
    static func tabs(_ group: String, _ panels: [(name: String, html: String)], selected: Int) -> String {
        var html = "<div class=\"tabs\">"
        for (index, panel) in panels.enumerated() {
            let id = "\(group)-\(index)"
            html +=
                "<input type=\"radio\" name=\"\(group)\" id=\"\(id)\"\(index == selected ? " checked=\"\"" : "")/>"
                + "<label for=\"\(id)\">\(panel.name.escapedHTML)</label><div class=\"panel\">\(panel.html)</div>"
        }
        return html + "</div>"
    }
}

extension OutputKind {
    /// A page of `--report`.
    package static func page(_ kind: ReportPage.Kind) -> OutputKind {
        OutputKind(command: kind.command, mark: .bytes(Array(ReportPage.mark(kind).utf8), within: 1024))
    }
}
