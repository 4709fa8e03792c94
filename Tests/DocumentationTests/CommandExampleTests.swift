import Foundation
import Testing

/// The commands of the documentation run, and print what it shows.
///
/// A block in the language `console` has commands after `$ `, which may go on in the next line, and what each prints. A
/// line `…` is any number of lines, and `…` within a line any text. A number with a decimal point may differ by a
/// thousandth, since instruction sets round differently. A command without output in the block must succeed; a command
/// with output must print it.
@Suite struct CommandExampleTests {
    struct Example {
        let command: String
        let output: [String]
        let place: String
    }

    static let files: [String] = DocumentedBlock.files.filter {
        (try? DocumentedBlock.all("console", in: $0).isEmpty) == false
    }

    @Test(.timeLimit(.minutes(30)), arguments: files)
    func commandsPrintWhatIsShown(_ file: String) async throws {
        try await ExampleFolder.with { folder in
            let environment = try Self.environment(in: folder)
            for example in try DocumentedBlock.all("console", in: file).flatMap(Self.examples) {
                let (status, printed) = try await Self.run(example.command, in: folder, environment)
                if example.output.isEmpty {
                    #expect(status == 0, "\(example.place): \(example.command)\n\(printed.joined(separator: "\n"))")
                } else {
                    #expect(
                        ShownOutput(example.output).matches(printed),
                        "\(example.place): \(example.command)\n\(printed.joined(separator: "\n"))")
                }
            }
        }
    }

    @Test func blocksHaveCommands() throws {
        #expect(Self.files.count > 10)
        for file in Self.files {
            for block in try DocumentedBlock.all("console", in: file) {
                #expect(block.lines.first?.hasPrefix("$ ") == true, "\(file):\(block.line)")
            }
        }
    }

    /// The commands of a block with what follows each.
    static func examples(of block: DocumentedBlock) -> [Example] {
        var examples: [Example] = []
        var (command, output): (String?, [String]) = (nil, [])
        var continues = false
        func finish() {
            guard let command else { return }
            while output.last == "" { output.removeLast() }
            examples.append(Example(command: command, output: output, place: "\(block.file):\(block.line)"))
        }
        for line in block.lines {
            if continues {
                command = (command ?? "") + "\n" + line
            } else if line.hasPrefix("$ ") {
                finish()
                (command, output) = (String(line.dropFirst(2)), [])
            } else {
                output.append(line)
            }
            continues = (continues || line.hasPrefix("$ ")) && (line.hasSuffix("\\") || line.hasSuffix("|"))
        }
        finish()
        return examples
    }

    /// The built command comes first, a cache of its own, and a stand-in for FFmpeg that gives three seconds of black
    /// frames.
    private static func environment(in folder: URL) throws -> [String: String] {
        let tools = folder.appendingPathComponent(".tools")
        try FileManager.default.createDirectory(at: tools, withIntermediateDirectories: true)
        let video = tools.appendingPathComponent("ffmpeg")
        try "#!/bin/sh\nhead -c $((640 * 480 * 3 * 75)) /dev/zero\n".write(to: video, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: video.path)
        let built = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let variables = ProcessInfo.processInfo.environment
        return variables.merging([
            "PATH": "\(tools.path):\(built.path):\(variables["PATH"] ?? "")",
            "XDG_CACHE_HOME": tools.appendingPathComponent("cache").path,
        ]) { $1 }
    }

    /// The exit code of a command in Bash, and the lines of both its outputs.
    private static func run(
        _ command: String, in folder: URL, _ environment: [String: String]
    ) async throws -> (status: Int32, lines: [String]) {
        let file = folder.appendingPathComponent(".tools/output")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = folder
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        try handle.close()
        // Lines of CSV end with a carriage return as well.
        var lines = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            .replacingOccurrences(of: "\r\n", with: "\n").components(separatedBy: "\n")
        while lines.last == "" { lines.removeLast() }
        return (process.terminationStatus, lines)
    }
}
