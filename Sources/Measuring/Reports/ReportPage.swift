import Inference
import Runs

/// The frame of every page: one HTML document that needs nothing else, for screens in light and dark and for paper.
package struct ReportPage {
    /// What kind of page it is.
    package let kind: Kind
    package let title: String
    /// A line under the title.
    let subtitle: String
    private var body = ""

    package init(kind: Kind, title: String, subtitle: String) {
        (self.kind, self.title, self.subtitle) = (kind, title, subtitle)
    }

    /// What a page is about, as readers see it.
    package enum Kind: String, Sendable {
        case benchmark = "Benchmark"
        case comparison = "Comparison"
        case evaluation = "Evaluation"

        /// The command that writes such pages.
        package var command: String {
            switch self {
            case .benchmark: "bench"
            case .comparison: "compare"
            case .evaluation: "evaluate"
            }
        }
    }

    /// What a page of a kind is known by; the version follows.
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

    /// Adds what a reader should know first: questions with their answers.
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

    /// Names with their colours.
    ///
    /// - Parameter entries: The texts, and the classes that colour a mark.
    static func legend(_ entries: [(text: String, style: String)]) -> String {
        let items = entries.map { "<li><i class=\"\($0.style)\"></i>\($0.text.escapedHTML)</li>" }
        return "<ul class=\"legend\">\(items.joined())</ul>"
    }

    /// Panels of which one is shown, chosen by name.
    ///
    /// - Parameters:
    ///   - group: Tells these panels from others of the page.
    ///   - selected: The position of the one that is shown first, and on paper.
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
