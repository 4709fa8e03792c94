import Foundation
import TestSupport
import Testing

@Suite struct FirstContactTests {
    @Test func withoutArgumentsAShortPageSaysWhereToBegin() async throws {
        let outcome = try await Command.run()
        #expect(outcome.status == 0)
        #expect(outcome.lines.contains { $0.contains("apus demo") })
        #expect(outcome.lines.count < 24, "it is longer than a terminal")
        for line in outcome.lines { #expect(line.count <= 80, "\(line)") }
    }

    @Test func theDemonstrationPredictsItsPhotos() async throws {
        let outcome = try await Command.run("demo", in: URL(fileURLWithPath: "/"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.contains { $0.contains("coffee.png") && $0.contains("espresso") })
        #expect(outcome.lines.contains { $0.contains("What to try next") })
    }

    @Test func theVersionAsADocument() async throws {
        struct Document: Decodable {
            let version: String
            let libraries: [String: String]
            let backends: [String]
        }
        let text = try await Command.run("--version")
        let outcome = try await Command.run("--version", "--json")
        let document = try JSONDecoder().decode(Document.self, from: Data(outcome.output.utf8))
        #expect(document.version == text.lines.first.map(String.init))
        #expect(Set(document.libraries.keys) == ["glibc", "libpng", "sqlite", "zlib"])
        #expect(document.backends.contains("cpu"))
    }

    private struct Report: Decodable {
        struct Finding: Decodable {
            let subject: String
            let state: String
            let text: String
            let advice: String?
        }
        let findings: [Finding]
    }

    private func report(_ environment: [String: String], status: Int32) async throws -> [String: Report.Finding] {
        let outcome = try await Command.run("doctor", "--json", environment: environment)
        #expect(outcome.status == status, "\(outcome.output)\(outcome.errors)")
        let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        return Dictionary(report.findings.map { ($0.subject, $0) }) { first, _ in first }
    }

    @Test func theDoctorFindsNoProblemHere() async throws {
        try await withTemporaryFolder { folder in
            let findings = try await report(["XDG_CACHE_HOME": folder.path], status: 0)
            #expect(findings["prediction"]?.text == "a photo of an espresso is told right")
            #expect(findings["cpu"]?.state == "good")
            #expect(findings["instructions"]?.text.contains("GFLOP/s") == true)
        }
    }

    @Test func theDoctorSaysWhatIsWrongWithTheCache() async throws {
        try await withTemporaryFolder { folder in
            let none = try await report(["XDG_CACHE_HOME": "/dev/null"], status: 0)
            #expect(none["cache"]?.state == "note")
            #expect(none["cache"]?.advice?.contains("XDG_CACHE_HOME") == true)
            let cache = folder.path + "/apus"
            try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: cache)
            let shared = try await report(["XDG_CACHE_HOME": folder.path], status: 0)
            #expect(shared["cache"]?.state == "note")
            #expect(shared["cache"]?.text.hasPrefix(cache) == true)
        }
    }

    @Test func theDoctorNotesANarrowerInstructionSet() async throws {
        try await withTemporaryFolder { folder in
            let findings = try await report(
                ["XDG_CACHE_HOME": folder.path, "APUS_INSTRUCTIONS": "baseline"], status: 0)
            let state = findings["instructions"]?.state
            #expect(state == "note", "\(findings)")
        }
    }

    @Test func damagedFilesOfAnInstallationAreSaid() async throws {
        try await withTemporaryFolder { folder in
            let files = FileManager.default
            try files.createDirectory(atPath: folder.path + "/bin", withIntermediateDirectories: true)
            try files.createDirectory(atPath: folder.path + "/share/apus/demo", withIntermediateDirectories: true)
            let program = folder.path + "/bin/apus"
            do {
                try files.linkItem(atPath: Command.executable.path, toPath: program)
            } catch {
                try files.copyItem(atPath: Command.executable.path, toPath: program)
            }
            // The CRC-32 of "123456789" is 0xCBF43926.
            try "123456789".write(toFile: folder.path + "/share/apus/demo/text", atomically: true, encoding: .utf8)
            try "cbf43926 9 share/apus/demo/text\n00000000 0 share/apus/demo/lost\n".write(
                toFile: folder.path + "/share/apus/files.txt", atomically: true, encoding: .utf8)
            let command = Command(["doctor", "--json"], environment: ["XDG_CACHE_HOME": folder.path])
            command.process.executableURL = URL(fileURLWithPath: program)
            let outcome = try await command.outcome()
            let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
            let finding = try #require(report.findings.first { $0.subject == "installation" })
            #expect(finding.state == "problem")
            #expect(
                finding.text.hasSuffix("1 of 2 files in \(folder.path) are missing or damaged: share/apus/demo/lost"))
            #expect(outcome.status == 1)
        }
    }
}
