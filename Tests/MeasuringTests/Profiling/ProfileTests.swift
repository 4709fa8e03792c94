import Apus
import CPUBackend
import Measuring
import Planning
import TestSupport
import Testing

@Suite("Profiles")
struct ProfileTests {
    /// Runs a model several times with a profiler.
    private func profile(
        _ model: Model, backend: BackendName, threads: Int = 2, batches: [Int] = [1, 1, 1]
    ) async throws -> (Profile, PlanDescription) {
        let profiler = Profiler()
        let session = try await Session(
            model, options: .init(backends: [backend], threads: threads, tuning: .none, profiler: profiler))
        for batch in batches { _ = try await session.predict(try model.seededInputs(batch: batch)) }
        let limits = MachineLimits(
            device: "a machine", threads: threads, multiplyAddsPerSecond: 1e9, bytesPerSecond: 1e9)
        let profile = try #require(profiler.profile(limits: limits))
        return (profile, try await session.plan(forBatch: batches[0]))
    }

    @Test("Layers and the rest add up to the runs", arguments: [BackendName.cpu, .openblas, .reference])
    func addsUp(backend: BackendName) async throws {
        let model = backend == .reference ? try TestedNetworks.small() : try TestedNetworks.squeezeNet()
        let (profile, plan) = try await profile(model, backend: backend)
        #expect(profile.runs == 3 && profile.images == 3)
        #expect(abs(profile.layerSeconds + profile.rest.seconds - profile.seconds) < 1e-8)
        #expect(profile.rest.scheduling >= 0 && profile.rest.queueing >= 0 && profile.rest.overlap == 0)
        #expect(profile.layers.map(\.name) == plan.layers.map(\.name))
        #expect(profile.layers.map(\.lowering) == plan.layers.map(\.lowering))
        #expect(profile.layers.map(\.multiplyAdds) == plan.layers.map(\.multiplyAdds))
        for layer in profile.layers where layer.multiplyAdds > 0 {
            #expect(layer.seconds > 0, "\(layer.name)")
            #expect(layer.minimumSeconds > 0 && layer.minimumSeconds <= layer.seconds * 1.000_001)
            #expect(layer.peakFraction != nil && layer.bound != nil)
        }
        let operators = profile.operators
        #expect(abs(operators.reduce(0) { $0 + $1.seconds } - profile.layerSeconds) < 1e-9)
        #expect(zip(operators, operators.dropFirst()).allSatisfy { $0.seconds >= $1.seconds })
    }

    @Test("Threads work no longer than their layer takes, but in strips, where layers share the time")
    func threads() async throws {
        let (profile, plan) = try await profile(try TestedNetworks.squeezeNet(), backend: .cpu)
        #expect(profile.layers.contains { $0.firstOfStrips != nil } == plan.layers.contains { $0.strips != nil })
        for (layer, planned) in zip(profile.layers, plan.layers) {
            #expect(layer.firstOfStrips == planned.strips?.firstLayer)
            if layer.multiplyAdds > 0 { #expect(layer.threadSeconds.reduce(0, +) > 0) }
            guard layer.firstOfStrips == nil else { continue }
            #expect(layer.threadSeconds.allSatisfy { $0 <= layer.seconds })
        }
    }

    @Test("Runs of several batch sizes are counted together")
    func batches() async throws {
        let (profile, plan) = try await profile(try TestedNetworks.squeezeNet(), backend: .cpu, batches: [1, 3, 2])
        #expect(profile.runs == 3 && profile.images == 6)
        #expect(profile.layers.count == plan.layers.count)
        #expect(profile.layers.reduce(0) { $0 + $1.multiplyAdds } == 2 * plan.layers.reduce(0) { $0 + $1.multiplyAdds })
    }

    @Test("A profiler that does not record has nothing, and one that is reset forgets")
    func switching() async throws {
        let model = try TestedNetworks.small()
        let profiler = Profiler()
        profiler.isRecording = false
        let session = try await Session(model, options: .init(profiler: profiler))
        let inputs = try model.seededInputs()
        _ = try await session.predict(inputs)
        #expect(profiler.profile() == nil)
        profiler.isRecording = true
        _ = try await session.predict(inputs)
        #expect(profiler.profile()?.runs == 1)
        profiler.reset()
        #expect(profiler.profile() == nil)
    }

    @Test("Recording does not change an output's bits")
    func bits() async throws {
        let model = try TestedNetworks.squeezeNet()
        let inputs = try model.seededInputs()
        let plain = try await Session(model, options: .init(threads: 2)).predict(inputs)
        let recorded = try await Session(model, options: .init(threads: 2, profiler: Profiler())).predict(inputs)
        #expect(plain.mapValues(\.bits) == recorded.mapValues(\.bits))
    }

    @Test("A run that fails is not counted")
    func failure() async throws {
        let model = try TestedNetworks.small()
        let profiler = Profiler()
        let session = try await Session(
            model, options: .init(memoryBudget: MemoryBudget(limit: 200_000), profiler: profiler))
        await #expect(throws: ApusError.self) { try await session.predict(try model.seededInputs(batch: 2000)) }
        _ = try await session.predict(try model.seededInputs())
        #expect(profiler.profile()?.runs == 1)
    }

    @Test("The shortest time is that of what binds")
    func limits() throws {
        let limits = MachineLimits(device: "a machine", threads: 2, multiplyAddsPerSecond: 100, bytesPerSecond: 10)
        #expect(limits.shortestTime(multiplyAdds: 200, bytes: 10)?.seconds == 2)
        #expect(limits.shortestTime(multiplyAdds: 200, bytes: 10)?.bound == .compute)
        #expect(limits.shortestTime(multiplyAdds: 200, bytes: 40)?.seconds == 4)
        #expect(limits.shortestTime(multiplyAdds: 200, bytes: 40)?.bound == .bandwidth)
        #expect(limits.shortestTime(multiplyAdds: 0, bytes: 0) == nil)
        #expect(abs(limits.gigaflopsPerSecond - 2e-7) < 1e-18)
        #expect(
            limits.share(of: 2)
                == MachineLimits(device: "a machine", threads: 1, multiplyAddsPerSecond: 50, bytesPerSecond: 5))
    }

    @Test("The machine's limits can be measured", arguments: [1, 2])
    func measuring(threads: Int) async throws {
        let limits = try await MachineLimits.measured(threads: threads)
        #expect(limits.threads == threads)
        #expect(limits.multiplyAddsPerSecond > 1e6 && limits.bytesPerSecond > 1e6)
        await #expect(throws: ApusError.self) { try await MachineLimits.measured(threads: 0) }
    }
}
