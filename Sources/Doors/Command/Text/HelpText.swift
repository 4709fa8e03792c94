import Apus
import FoundationEssentials
import Glibc

/// The text of `--help`, with its examples first and its lines wrapped to the terminal's width.
struct HelpText {
    /// A width beyond any line, so that the parser does not wrap lines.
    static let unlimited = 1_000_000

    private let lines: [String]

    /// - Parameter text: The parser's text, with lines of any length.
    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The number of columns from COLUMNS or the terminal; 80 without either.
    static var columnCount: Int {
        if let text = ProcessInfo.processInfo.environment["COLUMNS"], let count = Int(text), count > 0 { return count }
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// The text with the section of examples first and unchanged. All other lines are wrapped to at most `columns`
    /// columns, except single longer words.
    func text(columns: Int) -> String {
        let start = lines.firstIndex(of: "EXAMPLES:") ?? lines.endIndex
        let end = lines[start...].firstIndex(of: "").map { $0 + 1 } ?? lines.endIndex
        let rest = Self.blocks(Array(lines[..<start] + lines[end...]))
        return (lines[start..<end] + rest.flatMap { $0.wrapped(to: max(40, columns)) }).joined(separator: "\n")
    }

    /// A paragraph or item whose words fill lines.
    private struct Block {
        /// The start of the first line: spaces or a label.
        var head: String
        /// The number of columns before the words of further lines.
        var indentation: Int
        var words: [Substring]

        func wrapped(to columns: Int) -> [String] {
            var lines: [String] = []
            var line = head
            var isFresh = true
            for word in words {
                if !isFresh, line.columnCount + 1 + word.count > columns {
                    lines.append(line)
                    line = String(repeating: " ", count: indentation)
                    isFresh = true
                }
                line += isFresh ? String(word) : " " + word
                isFresh = false
            }
            return lines + [line]
        }
    }

    /// Groups lines into blocks. The lines of a paragraph form one block. An item, which begins with spaces, forms one
    /// with the following lines that are indented further.
    private static func blocks(_ lines: [String]) -> [Block] {
        var blocks: [Block] = []
        for line in lines {
            let indentation = line.prefix { $0 == " " }.count
            let words = line.split(separator: " ")
            if let last = blocks.last, !words.isEmpty, !last.words.isEmpty, !last.head.hasSuffix(": "),
                indentation == 0 ? last.head.isEmpty : last.indentation > 2 && indentation >= last.indentation
            {
                blocks[blocks.count - 1].words += words
                continue
            }
            blocks.append(block(line, indentation, words))
        }
        return blocks
    }

    /// The block that a line begins. An item's words follow its label after at least two spaces.
    private static func block(_ line: String, _ indentation: Int, _ words: [Substring]) -> Block {
        for label in ["OVERVIEW: ", "USAGE: "] where line.hasPrefix(label) {
            return Block(
                head: label, indentation: label == "USAGE: " ? label.count : 0, words: Array(words.dropFirst()))
        }
        guard indentation > 0 else { return Block(head: "", indentation: 0, words: words) }
        let content = line.dropFirst(indentation)
        guard let gap = content.firstRange(of: "  ") else {
            return Block(
                head: String(repeating: " ", count: indentation), indentation: indentation, words: words)
        }
        let text = content[gap.lowerBound...].drop { $0 == " " }
        let head = String(line[..<text.startIndex])
        return Block(head: head, indentation: head.columnCount, words: text.split(separator: " "))
    }
}
