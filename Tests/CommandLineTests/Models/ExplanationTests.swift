import Foundation
import Testing

@Suite struct ExplanationTests {
    private func json(_ arguments: String...) async throws -> [String: Any] {
        let outcome = try await Command.run(arguments + ["--json"])
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    }

    @Test func inspectCounts() async throws {
        let report = try await json("inspect", Fixtures.model)
        #expect(report["parameters"] as? Int == 1_235_496)
        #expect(report["multiplyAdds"] as? Int ?? 0 > 300_000_000)
        #expect((report["operators"] as? [String: Int])?["Conv"] == 26)
        let inputs = try #require(report["inputs"] as? [[String: Any]])
        #expect(inputs.map { $0["name"] as? String } == ["data"])
        #expect(inputs.first?["shape"] as? [String] == ["N", "3", "227", "227"])
        #expect((report["labels"] as? [String: String])?["description"] == "1000 names")
        #expect(report["nodes"] == nil)
    }

    @Test func inspectListsNodes() async throws {
        let report = try await json("inspect", Fixtures.model, "--nodes")
        let counts = report["operators"] as? [String: Int] ?? [:]
        #expect((report["nodes"] as? [Any])?.count == counts.values.reduce(0, +))
        let text = try await Command.run("inspect", Fixtures.model, "--nodes")
        #expect(text.output.contains("1,235,496"))
        #expect(text.lines.contains { $0.hasPrefix("conv1 = Conv(data, ") && $0.hasSuffix("float32[N, 64, 114, 114]") })
    }

    @Test func planShowsEveryCandidateOfEveryLayer() async throws {
        let plan = try await json("plan", Fixtures.model, "--batch", "2", "--rewrites")
        let layers = try #require(plan["layers"] as? [[String: Any]])
        #expect(layers.count > 30)
        for layer in layers {
            let candidates = try #require(layer["candidates"] as? [[String: Any]])
            #expect(candidates.last?["backend"] as? String == "reference")
            for candidate in candidates {
                #expect((candidate["reason"] == nil) != (candidate["microseconds"] == nil))
            }
            #expect(layer["memory"] is String)
        }
        #expect((plan["inputs"] as? [String: [Int]])?["data"] == [2, 3, 227, 227])
        let runs = try #require(plan["runs"] as? Int)
        #expect((layers.first?["inputs"] as? [[Int]])?.first == [2 / runs, 3, 227, 227])
        #expect(plan["batching"] is String)
        #expect(plan["arenaBytes"] as? Int ?? 0 > 0)
        #expect((plan["rewrites"] as? [[String: Any]])?.contains { $0["name"] as? String == "FuseActivation" } == true)
    }

    @Test func planForPeopleHasTotalsAndReasons() async throws {
        let plain = try await Command.run("plan", Fixtures.model, "--threads", "1")
        #expect(plain.status == 0)
        #expect(plain.output.contains("on 1 thread\n"))
        #expect(plain.lines.last?.hasPrefix("  expected  ") == true)
        #expect(!plain.output.contains("declines"))
        let why = try await Command.run("plan", Fixtures.model, "--why", "--rewrites")
        #expect(why.output.contains("declines  "))
        #expect(why.output.contains("chosen    cpu/"))
        #expect(why.output.contains("strips    "))
        #expect(why.output.contains("accepts   reference/evaluation"))
        #expect(why.output.contains("fused into \"conv1\""))
    }

    @Test func whatLayersHaveInCommonIsSaidOnce() async throws {
        let why = try await Command.run("plan", Fixtures.model, "--backend", "cpu", "--why")
        let declining = why.lines.filter { $0.hasPrefix("  declines  ") }
        #expect(declining.count > 3)
        #expect(Set(declining).count == declining.count)
        // Each reason names a lowering once, for any number of layers.
        #expect(
            declining.filter { $0.contains("cpu/depthwise") && $0.contains(": not one filter per channel ") }.count == 1
        )
        // Lowerings of other operators are not among them.
        #expect(!declining.contains { $0.contains("cpu/softmax") })
        #expect(declining.contains { $0.hasSuffix("(every layer)") } || declining.contains { $0.contains(" layers") })
        #expect(why.output.contains("\n        as layer  "))
        let plan = try await json("plan", Fixtures.model, "--backend", "cpu")
        let layers = try #require(plan["layers"] as? [[String: Any]])
        #expect(why.lines.count < 9 * layers.count)
    }

    @Test func oneLayerIsShownWithEverything() async throws {
        let one = try await Command.run("plan", Fixtures.model, "--backend", "cpu", "--layer", "fire3/expand1x1")
        #expect(one.status == 0)
        #expect(one.lines.filter { $0.contains("fire3/expand1x1 ") }.count == 1)
        #expect(one.lines.filter { $0.hasPrefix("        chosen    cpu/") }.count == 1)
        #expect(one.lines.contains { $0.hasPrefix("        declines  ") && $0.contains(": the kernel is not 5×5") })
        #expect(!one.output.contains("conv1 "))
        let missing = try await Command.run("plan", Fixtures.model, "--layer", "fire99")
        #expect(missing.status == 2)
        #expect(missing.errors.contains("the plan has no layer \"fire99\""))
    }

    @Test func layersOfOneBackendAreShownAlone() async throws {
        let reference = try await Command.run("plan", Fixtures.model, "--backend", "cpu", "--on", "reference")
        #expect(reference.status == 0)
        #expect(reference.output.contains("\nno layer runs on reference\n"))
        #expect(!reference.output.contains("conv1"))
        let all = try await Command.run("plan", Fixtures.model, "--backend", "reference", "--on", "reference")
        #expect(all.output.contains("conv1"))
        #expect(all.output.contains("  layers    reference "))
        let unknown = try await Command.run("plan", Fixtures.model, "--on", "tpu")
        #expect(unknown.status == 2)
        #expect(unknown.errors.contains("there are cpu, openblas, opencl, reference"))
    }

    @Test func rewritesThatSayTheSameAreCounted() async throws {
        let plan = try await Command.run("plan", Fixtures.model, "--rewrites")
        let heading = try #require(plan.lines.firstIndex { $0.hasPrefix("FuseActivation (25): ") })
        #expect(plan.lines[heading + 1].hasPrefix("  "))
        #expect(plan.lines[heading + 2] == "  … and 24 similar changes (--json lists them)")
        #expect(plan.lines.contains { $0.hasPrefix("without changes: ") && $0.contains("FuseAttention") })
    }

    @Test("The chosen candidate is the fastest by the times that decide", arguments: [1, 2])
    func planRanks(_ threads: Int) async throws {
        let count = "\(threads)"
        let plan = try await json(
            "plan", Fixtures.model, "--threads", count, "--batch", count, "--no-tuning")
        let layers = try #require(plan["layers"] as? [[String: Any]])
        for layer in layers where layer["multiplyAdds"] as? Int ?? 0 > 0 {
            let candidates = try #require(layer["candidates"] as? [[String: Any]])
            let ranked = candidates.compactMap { candidate in
                (candidate["rankedMicroseconds"] as? Double).map { ($0, candidate["lowering"] as? String) }
            }
            #expect(ranked.count > 1)
            #expect(ranked.min { $0.0 < $1.0 }?.1 == layer["lowering"] as? String)
        }
        let why = try await Command.run(
            "plan", Fixtures.model, "--threads", count, "--batch", count, "--no-tuning", "--why")
        #expect(why.output.contains(" for one image on one thread") == (threads > 1))
    }

    @Test func theReferenceRunsAlone() async throws {
        let plan = try await json("plan", Fixtures.model, "--backend", "reference")
        let layers = try #require(plan["layers"] as? [[String: Any]])
        #expect(layers.allSatisfy { $0["backend"] as? String == "reference" })
    }

    @Test func openBLASRunsWithoutTheOtherKernels() async throws {
        let plan = try await json("plan", Fixtures.model, "--backend", "openblas")
        let layers = try #require(plan["layers"] as? [[String: Any]])
        #expect(layers.allSatisfy { $0["backend"] as? String == "openblas" })
        let lowerings = Set(layers.compactMap { $0["lowering"] as? String })
        #expect(lowerings.isSuperset(of: ["pointwise-gemm", "tiled-im2col-gemm"]))
    }

    @Test func devicesSayWhatIsThereAndWhatIsNot() async throws {
        let report = try await json("devices")
        let backends = (report["backends"] as? [[String: String]] ?? []).compactMap { $0["name"] }
        #expect(backends.filter { $0 != "opencl" } == ["cpu", "openblas", "reference"])
        #expect(report["processors"] as? Int ?? 0 >= 1)
        let absent = (report["absent"] as? [[String: String]] ?? []).compactMap { $0["name"] }
        #expect(Set(absent).isDisjoint(with: backends))
        #expect(absent.contains("opencl") != backends.contains("opencl"))
        let text = try await Command.run("devices")
        #expect(text.lines.count >= backends.count + absent.count + 2)
    }

    @Test func instructionsAreThoseAskedFor() async throws {
        for environment in [[:], ["APUS_INSTRUCTIONS": ""], ["APUS_INSTRUCTIONS": "baseline"]] {
            let outcome = try await Command.run("devices", "--json", environment: environment)
            let report = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            let sets = try #require(report?["instructions"] as? [[String: String]])
            let used = sets.filter { $0["state"] == "used" }.compactMap { $0["name"] }
            #expect(sets.first?["name"] == "baseline")
            #expect(used.count == 1)
            if environment["APUS_INSTRUCTIONS"] == "baseline" { #expect(used == ["baseline"]) }
        }
    }

    @Test(arguments: [["devices"], ["plan", Fixtures.model]])
    func instructionsThatTheProcessorLacksAreRefused(_ arguments: [String]) async throws {
        let outcome = try await Command.run(arguments, environment: ["APUS_INSTRUCTIONS": "abacus"])
        #expect(outcome.status == 4)
        #expect(outcome.errors.hasPrefix("apus: backend cpu: APUS_INSTRUCTIONS asks for abacus, but"))
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.output.isEmpty)
    }

    @Test func planWarnsOfLayersWithoutAKernel() async throws {
        let volume = try await Command.run("plan", "coreml/layers/pool_3d.mlmodel")
        #expect(volume.status == 0)
        #expect(volume.errors.contains("pool_3d.mlmodel: the reference runs MaxPool, 100 % of the expected time"))
        let requested = try await Command.run("plan", "coreml/layers/pool_3d.mlmodel", "--backend", "reference")
        #expect(requested.errors.isEmpty)
        let withKernels = try await Command.run("plan", Fixtures.model, "--why")
        #expect(withKernels.errors.isEmpty)
    }
}
