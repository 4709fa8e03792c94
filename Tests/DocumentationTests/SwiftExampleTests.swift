import Foundation
import Testing

/// The Swift examples of the documentation are lines of code that is compiled, and run.
@Suite struct SwiftExampleTests {
    /// Where the examples' code lies.
    private static let folders = [
        "Tests/DocumentationTests/Examples", "Tests/ExamplePackage", "Tests/TopLevelExamples",
    ]

    /// The lines of every Swift file of ``folders``.
    private static let sources: [[String]] = folders.flatMap { folder -> [[String]] in
        let place = DocumentedBlock.repository.appendingPathComponent(folder)
        let names = FileManager.default.enumerator(atPath: place.path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") }.compactMap { name in
            try? String(contentsOf: place.appendingPathComponent(name), encoding: .utf8).components(separatedBy: "\n")
        }
    }

    @Test(arguments: DocumentedBlock.files)
    func blocksAreCompiled(_ file: String) throws {
        for block in try DocumentedBlock.all("swift", in: file) {
            let isCompiled = Self.sources.contains { Self.contains($0, block.lines) }
            #expect(isCompiled, "\(file):\(block.line) is in no file of \(Self.folders.joined(separator: " and "))")
        }
    }

    /// A script's first lines are not in a function, and there Swift chooses among overloads otherwise.
    @Test func blocksOfEmbeddingAreCompiledAtTheTopLevel() throws {
        let script = DocumentedBlock.repository.appendingPathComponent("Tests/TopLevelExamples/main.swift")
        let lines = try String(contentsOf: script, encoding: .utf8).components(separatedBy: "\n")
        let blocks = try DocumentedBlock.all("swift", in: "Documentation/Apus.docc/Articles/EmbeddingInSwift.md")
        #expect(blocks.count >= 3)
        for block in blocks { #expect(Self.contains(lines, block.lines), "line \(block.line)") }
    }

    @Test(.timeLimit(.minutes(30)), arguments: SwiftExample.all)
    func examplesRun(_ example: SwiftExample) async throws {
        try await ExampleFolder.with { folder in
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
            ) { [name = example.name as String, path = folder.path as String] in
                // A process of its own, so that the names of files are those of the examples.
                guard FileManager.default.changeCurrentDirectoryPath(path) else { exit(EXIT_FAILURE) }
                try await SwiftExample.all.first { $0.name == name }?.run()
            }
            let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
            let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            for text in example.prints { #expect(output.contains(text), "\(output)\(errors)") }
        }
    }

    /// Whether a file has the lines of a block one after the other, all of them indented by the same number of spaces
    /// more.
    ///
    /// Imports, which stand at the top of a file, need only be somewhere in it.
    static func contains(_ source: [String], _ block: [String]) -> Bool {
        let imports = block.filter { $0.hasPrefix("import ") }
        let lines = Array(block.drop { $0.hasPrefix("import ") || $0.isEmpty })
        guard imports.allSatisfy(source.contains), let first = lines.first else { return false }
        return source.indices.contains { start in
            guard start + lines.count <= source.count, source[start].hasSuffix(first) else { return false }
            let indentation = source[start].dropLast(first.count)
            guard indentation.allSatisfy({ $0 == " " }) else { return false }
            return zip(source[start...], lines).allSatisfy { $0 == ($1.isEmpty ? "" : indentation + $1) }
        }
    }

    @Test func blocksAreFoundWhole() {
        let source = ["import Apus", "func f() {", "    let a = 1", "", "    if a > 0 {", "        g()", "    }", "}"]
        #expect(Self.contains(source, ["let a = 1", "", "if a > 0 {", "    g()", "}"]))
        #expect(Self.contains(source, ["import Apus", "", "let a = 1"]))
        #expect(!Self.contains(source, ["let a = 1", "if a > 0 {"]))
        #expect(!Self.contains(source, ["let a = 1", "", "if a > 0 {", "g()"]))
        #expect(!Self.contains(source, ["a = 1"]))
        #expect(!Self.contains(source, ["import Other", "", "let a = 1"]))
    }
}
