import Apus
import Foundation
import Graphs
import Measuring
import Planning
import Synchronization
import TestSupport
import Testing

@Suite("Comparing configurations", .serialized)
struct ComparisonTests {
    private func options() -> Comparison.Options {
        var options = Comparison.Options()
        (options.rounds, options.seconds, options.measuresLimits) = (2, 0.02, false)
        return options
    }

    /// A network with branches, whose layers have names.
    private func branched() throws -> Model {
        let graph = try Graph.build("branched") { net in
            let image = net.input("image", .float32, [.batch, 3, 20, 20])
            let stem = image.convolution(8, kernel: 3).relu().named("stem")
            let joined = stem.branches(
                { $0.convolution(8, kernel: 1).relu().named("narrow") },
                { $0.convolution(8, kernel: 3, padding: .same).relu().named("wide") })
            net.output("scores", joined.globalAveragePool().flatten().linear(5).softmax())
        }
        return try Model(graph.seeded(7))
    }

    private func configuration(_ backend: BackendName) -> Comparison.Configuration {
        Comparison.Configuration(backend.rawValue, .init(backends: [backend], threads: 1, tuning: .none))
    }

    @Test("Backends are timed, their layers matched, and their outputs agree")
    func compares() async throws {
        let comparison = try await branched().compare(
            [configuration(.cpu), configuration(.openblas), configuration(.reference)], options: options())
        #expect(comparison.results.prefix(3).map(\.name) == ["cpu", "openblas", "reference"])
        #expect(comparison.isSeeded && comparison.agrees)
        #expect(comparison.results[0].ratio.median == 1)
        for result in comparison.results {
            #expect(result.seconds > 0 && result.benchmark.roundMedians.count >= 2)
            #expect(result.profile != nil && result.agreement?.agrees == true)
            #expect(result.agreement?.top1Changes?.isEmpty == true)
        }
        #expect(comparison.layers.count >= 5)
        for layer in comparison.layers {
            #expect(layer.runs.count == comparison.results.count && layer.runs.allSatisfy { $0 != nil })
            #expect(layer.agreements.allSatisfy { $0.map { !$0.exceeds(1e-4) } ?? true })
        }
        // Nodes that are fused into a convolution are listed, but cannot be compared.
        #expect(comparison.layers.contains { $0.nodes.count == 2 })
        #expect(!comparison.fusedValues.isEmpty)
        #expect(comparison.layers.filter { $0.runs[2]?.backend == "reference" }.count > 3)
        #expect(comparison.findings.count == 3)
        #expect(comparison.findings.allSatisfy { !$0.answer.isEmpty })
        let json = try JSONEncoder().encode(comparison)
        let document = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(document["agrees"] as? Bool == true)
    }

    @Test("What was timed is given when something ends the comparison", arguments: ["timing", "comparing"])
    func endsEarly(at step: String) async throws {
        let cancel = Mutex<(@Sendable () -> Void)?>(nil)
        let early = Mutex<Comparison?>(nil)
        let (model, configurations) = (try branched(), [configuration(.cpu), configuration(.openblas)])
        let options = options()
        let mayBegin = DispatchSemaphore(value: 0)
        let work = Task {
            try await model.compare(configurations, options: options) { progress in
                switch progress {
                case .starting: mayBegin.wait(); mayBegin.signal()
                case .timing(let round, _) where step == "timing" && round == 2: cancel.withLock { $0?() }
                case .comparing where step == "comparing": cancel.withLock { $0?() }
                default: break
                }
            } endedEarly: { comparison in
                early.withLock { $0 = comparison }
            }
        }
        cancel.withLock { $0 = { work.cancel() } }
        mayBegin.signal()
        let error = await #expect(throws: ApusError.self) { _ = try await work.value }
        #expect(error?.kind == .cancelled)
        let comparison = try #require(early.withLock { $0 })
        #expect(comparison.results.prefix(2).map(\.name) == ["cpu", "openblas"])
        #expect(comparison.results.allSatisfy { $0.seconds.isFinite && $0.agreement == nil })
    }

    @Test("A kernel that is wrong in one layer is found by the layer's name", arguments: ["stem", "wide"])
    func findsWrongKernels(value: String) async throws {
        let model = try branched()
        let node = try #require(
            model.graph.nodes.first {
                $0.outputs.contains { $0.map { model.graph[$0].name.hasSuffix(value) } ?? false }
            }
        ).name
        var wrong = configuration(.cpu)
        wrong.name = "wrong"
        wrong.selection = BackendSelection(backends: [WrongBackend(node: node), ReferenceBackend()])
        let comparison = try await model.compare([configuration(.openblas), wrong], options: options())
        #expect(!comparison.agrees)
        #expect(comparison.results[0].agreement?.agrees == true)
        #expect(comparison.results[1].agreement?.firstExceeding == node)
        #expect(comparison.results[1].agreement?.origins == [node])
        let text = comparison.findings.flatMap(\.answer).joined()
        #expect(text.contains("wrong exceeds the tolerance first at \(node)"))
        #expect(ComparisonPage(comparison).html.contains(node))
    }

    @Test("What the planner chooses comes last when no configuration is that")
    func plannersChoice() async throws {
        let model = try branched()
        let same = try await model.compare([configuration(.cpu)], options: options())
        #expect(same.results.count == 1 && same.plannersChoice == 0)
        let other = try await model.compare(
            [configuration(.openblas), configuration(.reference)], options: options())
        let choice = try #require(other.plannersChoice)
        #expect(other.results[choice].name != "reference")
        for layer in other.layers { #expect(other.saving(layer, in: choice) == 0) }
    }

    @Test("Inputs that are given are run, several in a batch")
    func givenInputs() async throws {
        let model = try branched()
        let inputs = try (1...3).map { seed in
            Comparison.Input(id: "\(seed)", tensors: ["image": try Tensor.random([1, 3, 20, 20], seed: UInt64(seed))])
        }
        var options = options()
        options.batch = 2
        let comparison = try await model.compare([configuration(.cpu)], on: inputs, options: options)
        #expect(comparison.inputs == ["1", "2", "3"] && !comparison.isSeeded)
        #expect(comparison.layers[0].shape.first == 2)
        let elements = comparison.layers[0].agreements[0]?.elements
        #expect(elements == 3 * comparison.layers[0].shape.dropFirst().reduce(1, *))
    }

    @Test("Nothing to compare, equal names and impossible options are refused")
    func refusals() async throws {
        let model = try branched()
        await #expect(throws: ApusError.self) { try await model.compare([]) }
        await #expect(throws: ApusError.self) {
            try await model.compare([configuration(.cpu), configuration(.cpu)], options: options())
        }
        var none = options()
        none.batch = 0
        await #expect(throws: ApusError.self) { try await model.compare([configuration(.cpu)], options: none) }
        let wrong = Comparison.Input(id: "x", tensors: ["image": try Tensor.random([1, 3, 9, 9], seed: 1)])
        await #expect(throws: ApusError.self) {
            try await model.compare([configuration(.cpu)], on: [wrong], options: options())
        }
    }

    @Test("Outputs are not compared when that is not asked for")
    func withoutAgreement() async throws {
        var options = options()
        options.comparesOutputs = false
        let comparison = try await branched().compare([configuration(.cpu)], options: options)
        #expect(comparison.agrees && comparison.results[0].agreement == nil)
        #expect(!ComparisonPage(comparison).html.contains("<h2>Agreement</h2>"))
    }
}
