import Foundation
import TestSupport
import Testing

@Suite("Rounded products")
struct PrecisionTests {
    @Test("A precision that the kernels do not have ends with exit code 4 and one line")
    func isRefused() async throws {
        for backend in ["auto", "cpu"] {
            let outcome = try await Command.run(
                "predict", Fixtures.model, "photos", "--precision", "bf16", "--backend", backend,
                environment: ["APUS_INSTRUCTIONS": "baseline"])
            #expect(outcome.status == 4)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errorLines.count == 1)
            #expect(outcome.errors.hasPrefix("apus: backend cpu: bf16 needs a processor with AVX-512 BF16 "))
        }
    }

    @Test(
        "A backend that does not have the precision is refused, not used in float32",
        arguments: ["bf16", "bf16-weights", "f16-weights"])
    func isComputedByTheProcessorsKernelsAlone(_ precision: String) async throws {
        let outcome = try await Command.run(
            "predict", Fixtures.model, "photos", "--precision", precision, "--backend", "reference")
        #expect(outcome.status == 4)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors == "apus: backend reference: \(precision) is computed by the backend cpu alone\n")
    }

    @Test("f16 is refused where it was asked of a processor that lacks it, and float32 where a GPU may have it")
    func computesInFloat16() async throws {
        func plan(_ words: String...) async throws -> Command.Outcome {
            try await Command.run(["plan", Fixtures.model] + words, environment: ["APUS_INSTRUCTIONS": "baseline"])
        }
        let refused = try await plan("--precision", "f16", "--backend", "cpu")
        #expect(refused.status == 4 && refused.output.isEmpty)
        #expect(refused.errors.hasPrefix("apus: backend cpu: f16 needs a processor with AVX512-FP16, "))
        let other = try await plan("--precision", "f16", "--backend", "reference")
        #expect(other.status == 4)
        #expect(other.errors == "apus: backend reference: f16 is computed by the backends cpu and opencl alone\n")
        let any = try await plan("--precision", "f16")
        #expect(any.status == 0 && any.output.contains("implicit-gemm "), "\(any.errors)")
        let emulated = try await plan("--precision", "f16-emulated")
        #expect(emulated.status == 2 && emulated.output.isEmpty)
    }

    @Test("A run in f16 is not continued in another precision")
    func keepsRunsInFloat16() async throws {
        try await withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("rows.csv").path
            func rows(_ words: String...) async throws -> Command.Outcome {
                try await Command.run(
                    ["predict", Fixtures.model, "photos", "--quiet", "--format", "csv", "--output", output] + words)
            }
            let first = try await rows("--precision", "f16")
            #expect(first.status == 0, "\(first.errors)")
            let refused = try await rows("--precision", "f32", "--resume")
            #expect(refused.status != 0 && refused.errors.contains("precision was f16"), "\(refused.errors)")
        }
    }

    @Test("Kernels of weights in float16 are refused where there are none")
    func hasNoHalves() async throws {
        let outcome = try await Command.run(
            "plan", Fixtures.model, "--precision", "f16-weights", environment: ["APUS_INSTRUCTIONS": "baseline"])
        #expect(outcome.status == 4 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("apus: backend cpu: f16-weights needs kernels of avx2, avx512 or neon; "))
    }

    @Test("The photos keep their classes in bf16, and a run of another precision is not continued")
    func keepsClassesAndRuns() async throws {
        let plan = try await Command.run("plan", Fixtures.model, "--precision", "bf16")
        guard plan.status == 0 else {
            print("bf16 is not tested: this processor does not multiply it")
            return
        }
        let isSlow = plan.output.contains("precision f32, apart from weights that take long to read: this processor ")
        try await withTemporaryFolder { folder in
            func rows(_ precision: String, _ name: String) async throws -> Command.Outcome {
                try await Command.run(
                    "predict", Fixtures.model, "photos", "--precision", precision, "--top", "1", "--quiet",
                    "--output", folder.appendingPathComponent(name).path, "--format", "csv")
            }
            func classes(_ name: String) throws -> [Substring] {
                try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).split(separator: "\n")
                    .map { line in line.prefix { $0.isNumber == false } }
            }
            let (exact, rounded) = (try await rows("f32", "f32.csv"), try await rows("bf16", "bf16.csv"))
            #expect(exact.status == 0 && rounded.status == 0, "\(exact.errors)\(rounded.errors)")
            #expect(try classes("f32.csv") == classes("bf16.csv"))
            let both = try ["f32.csv", "bf16.csv"].map {
                try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
            }
            #expect((both[0] == both[1]) == isSlow)
            let refused = try await Command.run(
                "predict", Fixtures.model, "photos", "--precision", "bf16", "--top", "1", "--resume", "--quiet",
                "--output", folder.appendingPathComponent("f32.csv").path, "--format", "csv")
            #expect(refused.status != 0)
            #expect(refused.errors.contains("precision"), "\(refused.errors)")
        }
    }

    @Test("apus tune chooses the layers that precision auto rounds, and apus plan tells why")
    func choosesPrecisions() async throws {
        guard try await Command.run("plan", Fixtures.model, "--precision", "bf16").status == 0 else {
            print("precision auto is not tested: this processor does not multiply bf16")
            return
        }
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("tuning.json").path
            func run(_ words: String...) async throws -> Command.Outcome {
                try await Command.run(words + ["--tuning-file", file])
            }
            let missing = try await run("plan", Fixtures.model, "--precision", "auto")
            #expect(missing.status == 2)
            #expect(missing.errors.contains("apus tune --precision auto --calibrate PICTURES chooses them"))
            let unasked = try await run("tune", Fixtures.model, "--calibrate", "photos")
            #expect(unasked.status == 2 && unasked.errors.contains("--calibrate needs --precision auto"))
            let chosen = try await run(
                "tune", Fixtures.model, "--precision", "auto", "--calibrate", "photos", "--tolerance", "0.02")
            if chosen.status == 4, chosen.errors.contains("no layer gains by 16 bits: ") {
                print("precision auto is not tested: \(chosen.errors)")
                return
            }
            #expect(chosen.status == 0, "\(chosen.errors)")
            let name = chosen.output.contains(" layers in f16, chosen on ") ? "f16" : "bf16"
            #expect(chosen.output.contains(" layers in \(name), chosen on "))
            #expect(chosen.output.contains("keep the best one"))
            let plan = try await run("plan", Fixtures.model, "--precision", "auto", "--why")
            #expect(plan.output.contains("precision \(name) in "))
            #expect(
                plan.output.contains("in \(name): ")
                    || plan.output.contains("in float32: alone it moves outputs by "))
            let rows = try await run("predict", Fixtures.model, "photos", "--precision", "auto", "--quiet")
            #expect(rows.status == 0, "\(rows.errors)")
        }
    }
}
