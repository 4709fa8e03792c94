import Foundation

/// The tests that Apus need not pass, by pattern, each with a reason: `exclusions.txt` beside this file.
///
/// Its lines are `[KIND]`, which begins a section, `PATTERN: REASON`, and comments after `#`. A `*` in a pattern
/// matches any characters. The sections are `outside`, for operators that are not for inference on pictures, and
/// `missing`.
struct ONNXExclusions {
    enum Kind: String {
        case outside, missing
    }

    struct Entry {
        let pattern: String
        let kind: Kind
        let reason: String

        func matches(_ name: String) -> Bool {
            let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
            guard parts.count > 1 else { return name == pattern }
            var rest = name[...]
            for (index, part) in parts.enumerated() {
                if index == 0 {
                    guard rest.hasPrefix(part) else { return false }
                    rest = rest.dropFirst(part.count)
                } else if index == parts.count - 1 {
                    return rest.hasSuffix(part)
                } else {
                    guard let found = rest.range(of: part) else { return false }
                    rest = rest[found.upperBound...]
                }
            }
            return true
        }
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    let entries: [Entry]

    init() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "exclusions.txt")
        try self.init(try String(contentsOf: file, encoding: .utf8))
    }

    init(_ text: String) throws {
        var kind: Kind?
        var entries: [Entry] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                kind = Kind(rawValue: String(line.dropFirst().dropLast()))
                continue
            }
            let parts = line.split(separator: ": ", maxSplits: 1)
            guard let kind, parts.count == 2 else {
                throw Malformed(description: "exclusions.txt, line \(index + 1): PATTERN: REASON expected in a section")
            }
            entries.append(Entry(pattern: String(parts[0]), kind: kind, reason: String(parts[1])))
        }
        self.entries = entries
    }

    /// The index of the first entry that matches the test.
    func first(for test: ONNXBackendTest) -> Int? { entries.firstIndex { $0.matches(test.name) } }
}
