import Foundation
import TestSupport
import Testing

@Suite struct HelpTests {
    private static let commands = [
        [], ["predict"], ["evaluate"], ["search"], ["duplicates"], ["merge"], ["run"], ["plan"], ["inspect"],
        ["export"], ["generate"],
        ["quantize"], ["tune"], ["bench"], ["compare"], ["devices"], ["doctor"], ["demo"],
    ]

    /// The lines after the examples.
    private func lines(_ command: [String], columns: Int) async throws -> [Substring] {
        let outcome = try await Command.run(command + ["--help"], environment: ["COLUMNS": "\(columns)"])
        #expect(outcome.status == 0)
        let lines = outcome.lines
        return Array(lines[(try #require(lines.firstIndex(of: "")) + 1)...])
    }

    @Test(arguments: commands)
    func linesAreAsLongAsTheTerminalIsWide(_ command: [String]) async throws {
        var counts: [Int] = []
        for columns in [60, 80, 120] {
            let lines = try await lines(command, columns: columns)
            counts.append(lines.count)
            for line in lines { #expect(line.count <= columns, "\(columns) columns: \(line)") }
            // A line of a paragraph ends where the next word would not fit.
            for (line, next) in zip(lines, lines.dropFirst()) {
                guard let first = line.first, first != " ", !line.hasSuffix(":"),
                    let word = next.split(separator: " ").first,
                    next.first != " "
                else { continue }
                #expect(line.count + 1 + word.count > columns, "\(columns) columns: \(line) / \(next)")
            }
        }
        #expect(counts == counts.sorted(by: >))
    }

    @Test func whatFollowsALabelStaysToTheRightOfIt() async throws {
        let lines = try await lines(["compare"], columns: 60)
        let first = try #require(lines.firstIndex(of: "  tuning:no          expected times choose the layers;"))
        #expect(lines[first + 1] == "                     tuning:FILE, tuning:cached: the times")
        let help = try await self.lines([], columns: 60)
        #expect(help.contains("       configurations do not agree, or a verified output is"))
    }

    @Test(arguments: commands)
    func examplesFitATerminal(_ command: [String]) async throws {
        let outcome = try await Command.run(command + ["--help"], environment: ["COLUMNS": "60"])
        for line in outcome.lines.prefix(while: { !$0.isEmpty }) { #expect(line.count <= 80, "\(line)") }
    }

    @Test func theValueThatTheHelpFetchesIsThere() async throws {
        let help = try await Command.run("run", "--help")
        let example = try #require(help.lines.first { $0.contains("--fetch") })
        let name = try #require(example.split(separator: " ").last)
        let nodes = try await Command.run("inspect", Fixtures.model, "--nodes")
        #expect(nodes.lines.contains { $0.hasPrefix("\(name) = ") }, "\(name)")
    }

    /// Bash's completions of the last of some words.
    private func completions(_ words: [String]) async throws -> [Substring] {
        try await withTemporaryFolder { folder in
            let script = try await Command.run("--generate-completion-script", "bash")
            #expect(script.status == 0)
            let call = """
                COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9
                _apus apus "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let file = folder.appendingPathComponent("complete.bash")
            try Data((script.output + "\n" + call).utf8).write(to: file)
            let shell = Command([file.path] + words)
            shell.process.executableURL = URL(fileURLWithPath: "/bin/bash")
            let outcome = try await shell.outcome()
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
            return Array(outcome.lines)
        }
    }

    @Test func theShellCompletesCommandsFilesAndNames() async throws {
        let model = "models/squeezenet1_1.onnx"
        for (words, expected) in [
            (["be"], ["bench"]), (["predict", "mod"], ["models"]), (["predict", model, "pho"], ["photos"]),
            (["predict", model, "photos", "--backend", "open"], ["openblas", "opencl"]),
            (["predict", model, "photos", "--format", "c"], ["csv", "coco"]),
            (["predict", model, "photos", "--decoder", "ss"], ["ssd"]),
            (["predict", model, "photos", "-o", "quan"], ["quantized"]),
            (["predict", model, "photos", "--draw", "pho"], ["photos"]),
            (["compare", model, "--backends", "ref"], ["reference"]),
            (["run", model, "-o", "pho"], ["photos"]), (["merge", "pho"], ["photos"]),
        ] {
            let found = try await completions(["apus"] + words)
            #expect(found.map(String.init) == expected, "\(words)")
        }
    }
}
