import Foundation

/// A fenced block of code in the README or an article.
struct DocumentedBlock: Sendable {
    /// The file's path within the repository.
    let file: String
    /// The line of the opening fence, from 1.
    let line: Int
    /// What follows the opening fence, such as `swift`.
    let language: String
    /// The lines between the fences.
    let lines: [String]

    static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The README and every page of the catalogue, by path.
    static let files: [String] = {
        let catalogue = repository.appendingPathComponent("Documentation/Apus.docc")
        let pages = FileManager.default.enumerator(atPath: catalogue.path)?.compactMap { $0 as? String } ?? []
        return ["README.md"] + pages.filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/Apus.docc/\($0)" }
    }()

    /// The blocks of a file in a language, in order.
    static func all(_ language: String, in file: String) throws -> [DocumentedBlock] {
        let text = try String(contentsOf: repository.appendingPathComponent(file), encoding: .utf8)
        var blocks: [DocumentedBlock] = []
        var open: (line: Int, language: String)?
        var lines: [String] = []
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            if let fence = open {
                if line == "```" {
                    blocks.append(
                        DocumentedBlock(file: file, line: fence.line, language: fence.language, lines: lines))
                    open = nil
                } else {
                    lines.append(line)
                }
            } else if line.hasPrefix("```") {
                open = (index + 1, String(line.dropFirst(3)))
                lines = []
            }
        }
        return blocks.filter { $0.language == language }
    }
}
