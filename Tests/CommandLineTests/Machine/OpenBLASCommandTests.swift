import Foundation
import TestSupport
import Testing

@Suite("OpenBLAS that cannot be loaded")
struct OpenBLASCommandTests {
    @Test("Only the backend of its name needs the library, and says which package brings it")
    func isOnlyNeededByName() async throws {
        try await withTemporaryFolder { folder in
            let library = folder.appendingPathComponent("libopenblas.so.0")
            try Data("no library".utf8).write(to: library)
            let without = ["LD_LIBRARY_PATH": folder.path]
            func predict(_ backend: String, _ environment: [String: String] = [:]) async throws -> Command.Outcome {
                try await Command.run(
                    "predict", Fixtures.model, "photos", "--backend", backend, "--quiet", environment: environment)
            }
            for backend in ["cpu", "auto"] {
                let expected = try await predict(backend)
                let found = try await predict(backend, without)
                #expect(expected.status == 0 && found.status == 0)
                #expect(found.output == expected.output)
            }
            let refused = try await predict("openblas", without)
            #expect(refused.status == 4)
            #expect(refused.errorLines.count == 1)
            #expect(refused.errors.hasPrefix("apus: backend openblas: OpenBLAS cannot be loaded: "))
            #expect(refused.errors.hasSuffix("; Debian's package libopenblas0 brings it\n"))
            let devices = try await Command.run("devices", environment: without)
            #expect(devices.status == 0)
            let line = try #require(devices.lines.first { $0.hasPrefix("openblas ") })
            #expect(line.contains("Debian's package libopenblas0 brings it"))
        }
    }
}
