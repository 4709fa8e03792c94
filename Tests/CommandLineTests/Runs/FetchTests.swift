import Apus
import Foundation
import TestSupport
import Testing

/// Pictures of lists that a command fetches.
@Suite struct FetchTests {
    private let common = ["predict", Fixtures.path(Fixtures.model), "--top", "1", "--format", "jsonl", "--quiet"]

    /// A program that gives the photo at the end of a name, and does other things for some names.
    private static let script = """
        #!/bin/sh
        case "$1" in
        s3://bad) echo first >&2; echo "no such object" >&2; exit 7;;
        s3://slow) sleep 30;;
        s3://none) exit 0;;
        s3://second) if [ -e tried ]; then cat "$2/coffee.png"; else touch tried; exit 3; fi;;
        *) cat "$2/${1##*/}";;
        esac
        """

    private func withScript(_ body: (URL, String) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "fetch.sh")
            try Data(Self.script.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
            try await body(folder, "'\(file.path)' {} \(Fixtures.path("photos"))")
        }
    }

    private func rows(_ text: String) throws -> [(id: String, code: String?, message: String)] {
        try text.split(separator: "\n").map { line in
            let row = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let error = row["error"] as? [String: Any]
            return (
                try #require(row["id"] as? String), error?["code"] as? String, error?["message"] as? String ?? ""
            )
        }
    }

    @Test("Pictures are fetched, and a failure is the error of its row")
    func fetching() async throws {
        try await withScript { folder, command in
            let names = [
                "s3://a/coffee.png", "s3://bad", "s3://slow", "https://b/rocket.jpg", "s3://none", "gs://second",
            ]
            try Data((["path"] + names).joined(separator: "\n").utf8).write(to: folder.appending(path: "list.csv"))
            let outcome = try await Command.run(
                common + ["list.csv", "--fetch-command", command, "--fetch-timeout", "1.5", "--fetch-retries", "0"],
                in: folder)
            let rows = try rows(outcome.output)
            #expect(outcome.status == 1 && rows.map(\.id) == names, "\(outcome.errors)")
            #expect(rows.map(\.code) == [nil, "fetch", "deadline", nil, "fetch", "fetch"])
            #expect(rows[1].message.hasSuffix("ended with status 7: first; no such object"))
            #expect(rows[4].message.hasSuffix("gave no bytes"))
        }
    }

    @Test("A picture that an argument names is fetched beside files; without a command it is a mistake")
    func arguments() async throws {
        try await withScript { folder, command in
            let photo = Fixtures.path("photos/rocket.jpg")
            let outcome = try await Command.run(
                common + ["s3://a/coffee.png", photo, "s3://bad", "--fetch-command", command, "--fetch-retries", "0"],
                in: folder)
            let rows = try rows(outcome.output)
            #expect(outcome.status == 1 && rows.map(\.id) == ["s3://a/coffee.png", photo, "s3://bad"])
            #expect(rows.map(\.code) == [nil, nil, "fetch"])
            let refused = try await Command.run(common + ["https://b/coffee.png"], in: folder)
            #expect(refused.status == 2 && refused.output.isEmpty)
            #expect(refused.errors.contains("https://b/coffee.png: is not a file; --fetch-command says how"))
        }
    }

    @Test("A command that fails is tried again")
    func retrying() async throws {
        try await withScript { folder, command in
            try Data("{\"path\": \"s3://second\"}\n".utf8).write(to: folder.appending(path: "list.jsonl"))
            let outcome = try await Command.run(common + ["list.jsonl", "--fetch-command", command], in: folder)
            #expect(outcome.status == 0 && outcome.output.contains("espresso"), "\(outcome.output)")
        }
    }

    @Test("No shell reads names, and words are split before names are put in")
    func words() async throws {
        try await withTemporaryFolder { folder in
            let name = "s3://$(touch made) 'x; \"`touch made`"
            try Data("\(name)\n".utf8).write(to: folder.appending(path: "names"))
            let command = Command(
                common + ["-", "--fetch-command", "printf '<%s>' {}", "--fetch-retries", "0"], in: folder)
            command.process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: "names"))
            let outcome = try await command.outcome()
            // What printf writes is no picture.
            #expect(try rows(outcome.output).map(\.id) == [name] && outcome.status == 1)
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "made").path))
        }
    }

    @Test("Without a command, and with a program that is missing, rows say so")
    func without() async throws {
        try await withTemporaryFolder { folder in
            try Data("path\nS3://a/b.jpg\n".utf8).write(to: folder.appending(path: "list.csv"))
            let plain = try await Command.run(common + ["list.csv"], in: folder)
            #expect(plain.status == 1 && plain.output.contains("--fetch-command says how"))
            let missing = try await Command.run(
                common + ["list.csv", "--fetch-command", "no-such-program {}"], in: folder)
            #expect(missing.status == 1 && missing.output.contains("no-such-program is not installed"))
        }
    }

    @Test(
        "Commands that make no sense are refused",
        arguments: [["aws s3 cp"], [""], ["{}"], ["aws 'x {}"], ["aws {}", "--fetch-timeout", "0"]])
    func refused(_ arguments: [String]) async throws {
        let outcome = try await Command.run(common + ["photos", "--fetch-command"] + arguments)
        #expect(outcome.status == 2 && outcome.errors.contains("--fetch-"))
    }
}
