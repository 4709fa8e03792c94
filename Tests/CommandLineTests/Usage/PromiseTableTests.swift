import Foundation
import Testing

/// The table of what Apus promises names tests that exist.
@Suite struct PromiseTableTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../..").standardizedFileURL

    /// The texts between backquotes in the last column of each row.
    private static func rows() throws -> [(promise: String, names: [String])] {
        let page = root.appendingPathComponent("Documentation/Promises.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 2, cells != ["promise", "kept by"], cells != ["---", "---"] else { return nil }
            return (cells[0], cells[1].matches(of: /`([^`]+)`/).map { String($0.1) })
        }
    }

    /// `Suite.function` for every function of every file of tests.
    private static func tests() throws -> Set<String> {
        var names: Set<String> = []
        let files = FileManager.default.enumerator(atPath: root.appendingPathComponent("Tests").path)
        while let file = files?.nextObject() as? String {
            guard file.hasSuffix(".swift") else { continue }
            let text = try String(contentsOf: root.appendingPathComponent("Tests/\(file)"), encoding: .utf8)
            let suite = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
            for match in text.matches(of: /@Test[\s\S]*?func (\w+)/) { names.insert("\(suite).\(match.1)") }
        }
        return names
    }

    @Test func everyPromiseNamesTestsThatExist() throws {
        let rows = try Self.rows()
        let tests = try Self.tests()
        let makefile = try String(contentsOf: Self.root.appendingPathComponent("Makefile"), encoding: .utf8)
        let nightly = try String(contentsOf: Self.root.appendingPathComponent("Tests/nightly.sh"), encoding: .utf8)
        // A promise whose proof is a target that nothing runs would be none.
        let targets = Set(nightly.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init))
        #expect(rows.count > 30)
        for row in rows {
            #expect(!row.names.isEmpty, "\(row.promise)")
            for name in row.names {
                if name.hasPrefix("make ") {
                    #expect(makefile.contains("\n\(name.dropFirst(5)):"), "\(name)")
                    #expect(targets.contains(String(name.dropFirst(5))), "make nightly does not run \(name)")
                } else {
                    #expect(tests.contains(name), "\(name)")
                }
            }
        }
    }
}
