import Foundation
import TestSupport
import Testing

@Suite struct TuneTests {
    @Test func measuredTimesAreKeptAndChosenBy() async throws {
        try await withTemporaryFolder { cache in
            let environment = ["XDG_CACHE_HOME": cache.path]
            let tuned = try await Command.run("tune", Fixtures.model, "--threads", "1", environment: environment)
            #expect(tuned.status == 0)
            #expect(tuned.errors.isEmpty)
            #expect(tuned.lines.last == "  kept      \(cache.path)/apus/tuning.json")
            let again = try await Command.run(
                "tune", Fixtures.model, "--threads", "1", "--json", environment: environment)
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(again.output.utf8)) as? [String: Any])
            #expect(report["measuredCount"] as? Int == 0)
            #expect((report["layers"] as? [Any])?.isEmpty == false)
            let why = try await Command.run("plan", Fixtures.model, "--why", "--batch", "3", environment: environment)
            #expect(why.output.contains(" an image on 1 thread "))
            #expect(why.output.contains("\n  chosen    by measured times in "))
            #expect(why.output.contains("; measured times are from \(cache.path)/apus/tuning.json\n"))
            let table = try await Command.run("plan", Fixtures.model, "--threads", "1", environment: environment)
            #expect(table.lines.contains { $0.hasSuffix(" µs  measured") })
            #expect(table.lines.contains { $0.hasPrefix("  time      ") && $0.contains(" measured, ") })
            let document = try await Command.run("plan", Fixtures.model, "--json", environment: environment)
            let plan = try JSONSerialization.jsonObject(with: Data(document.output.utf8)) as? [String: Any]
            let layers = try #require(plan?["layers"] as? [[String: Any]])
            for layer in layers where layer["isMeasured"] as? Bool == true {
                let chosen = (layer["candidates"] as? [[String: Any]])?.first {
                    $0["backend"] as? String == layer["backend"] as? String
                        && $0["lowering"] as? String == layer["lowering"] as? String
                }
                #expect(layer["measuredMicroseconds"] as? Double == chosen?["measuredMicroseconds"] as? Double)
            }
            let plain = try await Command.run("plan", Fixtures.model, "--no-tuning", environment: environment)
            #expect(plain.output.contains("\n  chosen    by expected times"))
        }
    }

    @Test func aDamagedFileIsAWarning() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("times.json")
            try Data("{\"format\":".utf8).write(to: file)
            let plan = try await Command.run("plan", Fixtures.model, "--tuning-file", file.path)
            #expect(plan.status == 0)
            #expect(plan.errorLines.count == 1)
            #expect(plan.errors.hasPrefix("apus: warning: \(file.path): is no file of measured times"))
            let quiet = try await Command.run("plan", Fixtures.model, "--tuning-file", file.path, "--quiet")
            #expect(quiet.status == 0)
            #expect(quiet.errors.isEmpty)
        }
    }

    @Test func timesThatAnotherUserCouldHaveWrittenAreAWarning() async throws {
        try await withTemporaryFolder { cache in
            let environment = ["XDG_CACHE_HOME": cache.path]
            let folder = cache.appendingPathComponent("apus").path
            #expect(try await Command.run("tune", Fixtures.model, environment: environment).status == 0)
            func mode(_ path: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(try mode(folder) == 0o700)
            #expect(try mode(folder + "/tuning.json") == 0o600)
            for (path, shared, own) in [(folder, 0o777, 0o700), (folder + "/tuning.json", 0o620, 0o600)] {
                #expect(chmod(path, mode_t(shared)) == 0)
                let plan = try await Command.run("plan", Fixtures.model, environment: environment)
                #expect(plan.status == 0)
                #expect(plan.errorLines.count == 1)
                #expect(plan.errors.contains("is not trusted: \(path) can be written by other users"))
                #expect(plan.output.contains("\n  chosen    by expected times"))
                #expect(try await Command.run("tune", Fixtures.model, environment: environment).status == 5)
                #expect(chmod(path, mode_t(own)) == 0)
            }
            let trusted = try await Command.run("plan", Fixtures.model, environment: environment)
            #expect(trusted.errors.isEmpty)
            #expect(trusted.output.contains("\n  chosen    by measured times in "))
        }
    }

    @Test func theCacheFolderIsInHOME() async throws {
        try await withTemporaryFolder { home in
            let environment = ["HOME": home.path, "XDG_CACHE_HOME": ""]
            let tuned = try await Command.run("tune", Fixtures.model, environment: environment)
            #expect(tuned.lines.last == "  kept      \(home.path)/.cache/apus/tuning.json")
        }
    }

    @Test func anInterruptionKeepsWhatWasMeasured() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("times.json")
            // A network with many layers, so that the interruption comes before the end.
            let command = Command(["tune", "zoo:inception_v3", "--threads", "1", "--tuning-file", file.path])
            // The file begins without times, in less than 100 bytes.
            command.send(SIGINT, onceWritten: file, moreThan: 100)
            let outcome = try await command.outcome()
            #expect(outcome.status == 6)
            #expect(outcome.errors == "apus: interrupted; what was measured is kept in \(file.path)\n")
            let kept = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
            #expect((kept?["devices"] as? [String: Any])?.isEmpty == false)
        }
    }
}
