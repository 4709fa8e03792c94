import Foundation
import TestSupport
import Testing

@Suite("OpenCL on the command line")
struct OpenCLTests {
    /// The environment of a machine without drivers.
    private static let noDriver = ["OCL_ICD_VENDORS": "/nonexistent", "OCL_ICD_FILENAMES": "/nonexistent"]

    private static let hasDevice = {
        guard let vendors = try? FileManager.default.contentsOfDirectory(atPath: "/etc/OpenCL/vendors") else {
            return false
        }
        return !vendors.isEmpty
    }()

    /// The user's own cache keeps programs, which take long to build.
    private static let environment = [
        "XDG_CACHE_HOME": ProcessInfo.processInfo.environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
    ]

    @Test func withoutADriverEverythingElseWorks() async throws {
        let devices = try await Command.run("devices", environment: Self.noDriver)
        #expect(devices.status == 0)
        let row = try #require(devices.lines.first { $0.hasPrefix("opencl") })
        #expect(row.contains("no OpenCL loader") || row.contains("no driver is installed"))
        for backend in ["opencl", "opencl,cpu"] {
            let demanded = try await Command.run(
                "plan", Fixtures.model, "--backend", backend, environment: Self.noDriver)
            #expect(demanded.status == 4)
            #expect(demanded.errorLines.count == 1)
            #expect(demanded.errors.hasPrefix("apus: backend opencl: "))
            #expect(demanded.output.isEmpty)
        }
        let automatic = try await Command.run("plan", Fixtures.model, environment: Self.noDriver)
        #expect(automatic.status == 0 && automatic.errors.isEmpty)
    }

    /// Runs a command where `/sys` is empty.
    private func withoutSys(_ arguments: [String]) async throws -> Command.Outcome {
        let hiding = "mount -t tmpfs none /sys && exec \"$0\" \"$@\""
        let command = Command(["--mount", "sh", "-c", hiding, Command.executable.path] + arguments)
        command.process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        return try await command.outcome()
    }

    private static let mayHideSys = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["--mount", "sh", "-c", "mount -t tmpfs none /sys"]
        process.standardError = FileHandle.nullDevice
        guard hasDevice, (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    @Test(.enabled(if: mayHideSys, "PoCL is not installed, or a mount namespace cannot be made"))
    func aDriverThatNeedsSysIsNotLoadedWithoutIt() async throws {
        let devices = try await withoutSys(["devices"])
        #expect(devices.status == 0)
        #expect(devices.errors.isEmpty)
        #expect(devices.lines.filter { $0.contains("needs /sys") }.count == 1)
        let automatic = try await withoutSys(["predict", Fixtures.model, "photos/coffee.png", "--quiet"])
        #expect(automatic.status == 0 && automatic.errors.isEmpty)
        let demanded = try await withoutSys(["predict", Fixtures.model, "photos/coffee.png", "--backend", "opencl"])
        #expect(demanded.status == 4)
        #expect(demanded.errorLines.count == 1 && demanded.errors.contains("needs /sys"))
    }

    private static let compiler = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/clang" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(.enabled(if: compiler != nil && hasDevice, "there is no clang in PATH, or no OpenCL driver"))
    func aDriverThatDiesTakesNothingAlong() async throws {
        try await withTemporaryFolder { folder in
            let source = folder.appendingPathComponent("driver.c")
            let text = "void abort(void); __attribute__((constructor)) static void die(void) { abort(); }\n"
            try Data(text.utf8).write(to: source)
            let library = folder.appendingPathComponent("libdying.so").path
            let compiler = Command(["-shared", "-fPIC", "-o", library, source.path])
            compiler.process.executableURL = URL(fileURLWithPath: try #require(Self.compiler))
            let compiled = try await compiler.outcome()
            try #require(compiled.status == 0, "\(compiled.errors)")
            try Data((library + "\n").utf8).write(to: folder.appendingPathComponent("dying.icd"))
            let environment = ["OCL_ICD_VENDORS": folder.path, "XDG_CACHE_HOME": folder.path]
            let kept = folder.path + "/apus/opencl-drivers"
            // A driver that crashes is tried each time, one that works only once.
            for _ in 0..<2 {
                let devices = try await Command.run("devices", environment: environment)
                #expect(devices.status == 0)
                #expect(devices.errors.isEmpty)
                #expect(devices.lines.contains { $0.hasPrefix("opencl ") && $0.contains("signal 6") })
                let plan = try await Command.run(
                    "plan", Fixtures.model, "--backend", "opencl", environment: environment)
                #expect(plan.status == 4)
                #expect(plan.errorLines.count == 1 && plan.errors.contains("signal 6"))
            }
            #expect(!FileManager.default.fileExists(atPath: kept))
            let living = try await Command.run("devices", environment: ["XDG_CACHE_HOME": folder.path])
            #expect(living.status == 0)
            #expect(FileManager.default.fileExists(atPath: kept))
        }
    }

    @Test(.enabled(if: hasDevice, "no OpenCL driver is installed"))
    func aDeviceThatIsNotThereIsRefused() async throws {
        for device in ["99", "abacus"] {
            let outcome = try await Command.run(
                "plan", Fixtures.model, "--backend", "opencl", "--device", device, environment: Self.environment)
            #expect(outcome.status == 4)
            #expect(outcome.errors.hasPrefix("apus: backend opencl: there is no device \(device); there are 0 "))
        }
    }

    @Test(.enabled(if: hasDevice, "no OpenCL driver is installed"))
    func pixelsBecomeNumbersOnTheDevice() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("pixels.onnx").path
            #expect(try await Command.run("export", Fixtures.model, "--pixels", "-o", file).status == 0)
            let outcome = try await Command.run(
                "plan", file, "--backend", "opencl", "--no-tuning", "--json", environment: Self.environment)
            let plan = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
            let layers = try #require(plan["layers"] as? [[String: Any]])
            let conversion = try #require(layers.first { ($0["operator"] as? String) == "Cast" })
            #expect(conversion["backend"] as? String == "opencl")
            // The steps of the network that remain.
            let steps = """
                {"size": {"height": 227, "width": 227}, "resample": 2, "do_rescale": false, "do_normalize": false,
                "do_flip_channel_order": true}
                """
            try Data(steps.utf8).write(to: folder.appendingPathComponent("pixels.preprocessor_config.json"))
            let photo = "photos/coffee.png"
            let answers = try await Command.run(
                "predict", file, photo, "--backend", "opencl", "--no-tuning", "--format", "jsonl",
                environment: Self.environment)
            #expect(answers.status == 0)
            // The class of espresso; the file has no labels.
            #expect(answers.output.contains("[{\"index\":967,"))
        }
    }

    @Test(.enabled(if: hasDevice, "no OpenCL driver is installed"))
    func plansShowWhatCrosses() async throws {
        let text = try await Command.run(
            "plan", Fixtures.model, "--backend", "opencl", "--no-tuning", "--why", environment: Self.environment)
        #expect(text.status == 0)
        #expect(text.output.contains("opencl/upload"))
        #expect(text.output.contains("crosses   with "))
        #expect(text.lines.contains { $0.hasPrefix("  crossings 1 upload") })
        #expect(text.lines.contains { $0.hasPrefix("  arena") && $0.hasSuffix("bytes on the device") })
        let outcome = try await Command.run(
            "plan", Fixtures.model, "--backend", "opencl,cpu", "--no-tuning", "--json", environment: Self.environment)
        let plan = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let layers = try #require(plan["layers"] as? [[String: Any]])
        #expect(layers.allSatisfy { $0["transferBytes"] is Int })
    }

    @Test(.enabled(if: hasDevice, "no OpenCL driver is installed"))
    func photosAreWhatTheyAreOnTheProcessor() async throws {
        func labels(_ backend: String) async throws -> [[String]] {
            let outcome = try await Command.run(
                "predict", Fixtures.model, "photos", "--backend", backend, "--no-tuning", "--json", "--quiet",
                environment: Self.environment)
            #expect(outcome.status == 0 && outcome.errors.isEmpty)
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
            #expect(document["notices"] as? [String] == [])
            let records = try #require(document["records"] as? [[String: Any]])
            return records.map { record in
                (record["predictions"] as? [[String: Any]] ?? []).compactMap { $0["label"] as? String }
            }
        }
        let expected = try await labels("cpu")
        #expect(expected.count == 4 && expected.allSatisfy { $0.count == 5 })
        #expect(try await labels("opencl") == expected)
    }
}
