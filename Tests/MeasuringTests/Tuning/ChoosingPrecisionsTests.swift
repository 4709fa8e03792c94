import Apus
import CPUBackend
import Foundation
import Measuring
import Planning
import TestSupport
import Testing

/// Whether this processor is faster in 16 bits than in float32.
private let isPossible: Bool = {
    let processor = try? Catalog.processor(.automatic)
    let isPossible = processor.map { $0.roundingRefusal == nil } ?? false
    if !isPossible { print("Precisions are not chosen: \(processor?.roundingRefusal ?? "no kernels of 16 bits")") }
    return isPossible
}()

@Suite("Choosing the layers to compute in 16 bits")
struct ChoosingPrecisionsTests {
    private func withFile(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "tuning.json").path)
    }

    private func inputs(_ model: Model) async throws -> [Comparison.Input] {
        let folder = TestedNetworks.fixtures.appending(path: "photos").path
        return try await model.comparisonInputs(from: .imageFolder(folder), limit: 3).inputs
    }

    @Test("The file keeps choices beside times, and replaces a network's older one")
    func keepsChoices() async throws {
        try await withFile { path in
            func records(_ isRounded: Bool) -> TuningCache {
                var records = TuningCache(
                    entries: ["device": ["layer": .init(microseconds: ["fast": 1], threads: 1, images: 1)]])
                records["cpu", network: "one"] = PrecisionChoice(
                    layers: ["a": .init(isRounded: isRounded, error: 0.5)], tolerance: 0.01, pictures: 4, error: 0.002)
                return records
            }
            var other = TuningCache()
            other["cpu", network: "two"] = PrecisionChoice(layers: [:], tolerance: 1, pictures: 1)
            for added in [records(true), other, records(false)] { try TuningFile(path: path).add(added) }
            let kept = try TuningFile(path: path).read()
            #expect(kept["cpu", network: "one"]?.layers["a"]?.isRounded == false)
            #expect(kept["cpu", network: "two"]?.tolerance == 1 && kept["other", network: "one"] == nil)
            #expect(kept.entries["device"]?["layer"]?.threads == 1)
        }
    }

    @Test("Numbers that no measurement gives are left out")
    func refusesImplausibleChoices() {
        func kept(_ tolerance: Double, _ pictures: Int, _ error: Double) -> Bool {
            let choice = PrecisionChoice(layers: [:], tolerance: tolerance, pictures: pictures, error: error)
            return
                !(TuningCache(entries: [:], precisions: ["cpu": ["one": choice]]).precisions["cpu"]?.isEmpty ?? true)
        }
        #expect(kept(0.01, 4, 0) && !kept(-1, 4, 0) && !kept(.nan, 4, 0) && !kept(0.01, 0, 0) && !kept(0.01, 4, -1))
    }

    @Test("A choice names the reason for every layer")
    func reasons() {
        let choice = PrecisionChoice(
            layers: [
                "kept": .init(isRounded: false, error: 0.0325), "rounded": .init(isRounded: true, error: 0.00099999),
                "together": .init(isRounded: true, error: nil), "exact": .init(isRounded: true, error: 0),
            ], tolerance: 0.01, pictures: 8, error: 0.0081, agreement: 0.9995)
        #expect(
            choice.reason(for: "kept")
                == "in float32: alone it moves outputs by 3.3e-02 in bf16, and the tolerance is 1.0e-02")
        #expect(choice.reason(for: "rounded") == "in bf16: alone it moves outputs by 1.0e-03")
        #expect(choice.reason(for: "together") == "in bf16: all such layers together stay within the tolerance")
        #expect(choice.reason(for: "exact") == "in bf16: alone it moves outputs by 0")
        #expect(choice.reason(for: "other") == nil)
        #expect(
            choice.summary
                == "bf16 in 3 of 4 layers that may be rounded; on 8 pictures outputs move by at most 8.1e-03 "
                + "(tolerance 1.0e-02), and 99.9 % keep their best class")
    }

    @Test("Outputs stay within the tolerance, and a session runs exactly the chosen layers", .enabled(if: isPossible))
    func choosesLayers() async throws {
        try await withFile { path in
            let model = try TestedNetworks.squeezeNet()
            let inputs = try await inputs(model)
            func options(_ precision: Precision) -> Session.Options {
                .init(backends: [.cpu], precision: precision, tuning: .file(path))
            }
            let missing = await #expect(throws: ApusError.self) {
                try await Session(model, options: options(.automatic))
            }
            #expect(missing?.description.contains("no precisions are chosen for this network") == true)
            func outputs(_ precision: Precision) async throws -> [[Double]] {
                let session = try await Session(model, options: options(precision))
                var results: [[Double]] = []
                for input in inputs {
                    let found = try await session.predict(input.tensors)
                    results.append(try #require(found.values.first).elements(as: Double.self))
                }
                return results
            }
            let exact = try await outputs(.f32)
            func error(_ found: [[Double]]) -> Double {
                zip(found, exact).map { Agreement($0, reference: $1).largestRelativeError }.max() ?? 0
            }
            let all = try await model.choosePrecisions(options: options(.f32), on: inputs, tolerance: 10)
            #expect(all.roundedCount == all.layers.count && all.layers.count > 5 && all.file == path)
            let precision = try #require(Precision(rawValue: all.precision))
            #expect(try await outputs(.automatic) == outputs(precision))

            let none = try await model.choosePrecisions(options: options(.f32), on: inputs, tolerance: 0)
            #expect(none.roundedCount == 0 && none.error == 0 && none.errorOfAll == all.error)
            #expect(try await outputs(.automatic) == exact)

            let some = try await model.choosePrecisions(
                options: options(.f32), on: inputs, tolerance: 0.7 * all.error)
            #expect(some.roundedCount > 0 && some.roundedCount < some.layers.count)
            #expect(some.error <= some.tolerance && some.agreement == 1)
            #expect(try await error(outputs(.automatic)) == some.error)
            let session = try await Session(model, options: options(.automatic))
            let plan = try await session.plan(forBatch: 1)
            let rounded = plan.layers.filter { $0.lowering.hasSuffix("-\(all.precision)") }.map(\.name)
            #expect(rounded == some.layers.filter(\.isRounded).map(\.name))
            #expect(
                plan.precisions?.hasPrefix("\(all.precision) in \(some.roundedCount) of \(some.layers.count) layers")
                    == true)
            for layer in some.layers {
                let reason = plan.layers.first { $0.name == layer.name }?.precisionReason
                #expect(reason?.hasPrefix(layer.isRounded ? "in \(all.precision): " : "in float32: ") == true)
            }
        }
    }

    @Test("Nothing is chosen without pictures, or for numbers out of range")
    func refusesNonsense() async throws {
        let model = try TestedNetworks.small()
        for (tolerance, agreement) in [(0.1, 1.0), (-1, 1), (.infinity, 1), (0.1, 2)] {
            let inputs = tolerance == 0.1 && agreement == 1 ? [] : [Comparison.Input(id: "x", tensors: [:])]
            await #expect(throws: ApusError.self) {
                try await model.choosePrecisions(
                    options: .init(tuning: .none), on: inputs, tolerance: tolerance, minimumAgreement: agreement)
            }
        }
    }
}
