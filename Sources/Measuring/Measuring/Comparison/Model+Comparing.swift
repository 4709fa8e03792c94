import FoundationEssentials
import Graphs
import Inference
import Models
import Platform
import Tensors
import Vision

extension Model {
    /// Compares configurations: times them in turns, profiles their layers, and compares the layers' outputs with a
    /// float64 evaluation of the network as it is in the file.
    ///
    ///     let comparison = try await model.compare(
    ///         [.init("cpu", .init(backends: [.cpu])), .init("openblas", .init(backends: [.openblas]))])
    ///     for finding in comparison.findings { print(finding.answer.joined(separator: " ")) }
    ///
    /// Nothing else should run on the machine during the comparison.
    ///
    /// - Parameters:
    ///   - configurations: At least one, with different names. Ratios are to the first.
    ///   - inputs: The inputs of runs; random numbers when empty. Runs of several images use them in turn.
    ///   - progress: Called before each step.
    ///   - endedEarly: Called with the results so far when an error or a cancellation ends the comparison after every
    ///     configuration was timed at least once.
    /// - Throws: ``ApusError/usage(_:)`` when there is no configuration, when two have the same name, or when inputs do
    ///   not fit; ``ApusError/cancelled``; as ``Session`` otherwise.
    public func compare(
        _ configurations: [Comparison.Configuration], on inputs: [Comparison.Input] = [],
        options: Comparison.Options = Comparison.Options(), progress: (@Sendable (Comparison.Progress) -> Void)? = nil,
        endedEarly: (@Sendable (Comparison) -> Void)? = nil
    ) async throws(ApusError) -> Comparison {
        guard !configurations.isEmpty else { throw .usage("there is nothing to compare") }
        guard options.batch >= 1, options.rounds >= 1, options.seconds > 0, options.tolerance >= 0 else {
            throw .usage("a comparison needs an image, a round, some time and a tolerance")
        }
        let names = configurations.map(\.name)
        if let name = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
            throw .usage("two configurations are named \"\(name)\"")
        }
        do {
            let given =
                try inputs.isEmpty
                ? [
                    Comparison.Input(
                        id: "seed \(options.seed)", tensors: seededInputs(seed: options.seed, shapes: options.shapes))
                ]
                : inputs
            let work = ComparisonWork(
                model: self, inputs: given, isSeeded: inputs.isEmpty, options: options, progress: progress,
                endedEarly: endedEarly)
            return try await work.run(configurations)
        } catch {
            throw ApusError(error, model: name)
        }
    }
}

/// The state of one comparison while it runs.
private struct ComparisonWork {
    let model: Model
    let inputs: [Comparison.Input]
    let isSeeded: Bool
    let options: Comparison.Options
    let progress: (@Sendable (Comparison.Progress) -> Void)?
    let endedEarly: (@Sendable (Comparison) -> Void)?

    func run(_ configurations: [Comparison.Configuration]) async throws -> Comparison {
        let batch = try self.batch()
        var assembly = try await measured(configurations, batch)
        guard options.comparesOutputs else { return assembly.comparison }
        do {
            assembly.agreement = try await agreement(assembly.measured.map(\.configuration))
        } catch {
            endedEarly?(assembly.comparison)
            throw error
        }
        return assembly.comparison
    }

    /// Times all configurations and ends their sessions.
    private func measured(
        _ configurations: [Comparison.Configuration], _ batch: [String: Tensor]
    ) async throws -> ComparisonAssembly {
        let (contestants, plannersChoice) = try await contestants(configurations, batch)
        let session = contestants[0].benchmark.session
        let tensors = try session.ordered(batch)
        let network = try ComparedNetwork(
            model, inputShapes: (try session.split(tensors)?.first ?? tensors).map(\.shape))
        let peers = try await peers(session, batch, threads: configurations[0].options.threads)
        func assembly() -> ComparisonAssembly {
            ComparisonAssembly(
                model: model, network: network, inputs: inputs.map(\.id), isSeeded: isSeeded, options: options,
                measured: contestants.map(\.measured), plannersChoice: plannersChoice,
                givenCount: configurations.count, peers: peers?.results ?? [])
        }
        do {
            try await contestants.measure(options, peers, progress)
            if let peers {
                let outputs = options.comparesOutputs ? try await session.predict(batch) : [:]
                let names = model.graph.outputs.map { model.graph[$0].name }
                try await peers.finish(
                    names.compactMap { name in outputs[name].map { (name, $0) } },
                    firstMedians: contestants[0].benchmark.result.roundMedians)
            }
        } catch {
            if contestants.allSatisfy({ $0.benchmark.result.latency != nil }) { endedEarly?(assembly().comparison) }
            throw error
        }
        return assembly()
    }

    /// The other engines, with the network loaded; nil where none is asked for.
    private func peers(
        _ session: Session, _ batch: [String: Tensor], threads: Int
    ) async throws -> PeerTurns? {
        guard !options.peers.isEmpty else { return nil }
        progress?(.startingPeers)
        let names = model.graph.inputs.map { model.graph[$0].name }
        let inputs = names.compactMap { name in batch[name].map { (name: name, tensor: $0) } }
        if let file = options.peerModel {
            return try await PeerTurns(options.peers, model: .success(file), inputs: inputs, threads: threads)
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).onnx")
        defer { try? FileManager.default.removeItem(at: file) }
        let exported = Result { () throws(ApusError) in
            try model.export(to: file.path)
            return file.path
        }
        return try await PeerTurns(options.peers, model: exported, inputs: inputs, threads: threads)
    }

    /// The inputs of one batch, repeated from the first one on as necessary.
    private func batch() throws -> [String: Tensor] {
        guard let first = inputs.first else { throw ApusError.usage("there is no input") }
        let count = model.imageCount(askedFor: options.batch, given: options.shapes)
        // In a network with a fixed batch of several images, one input holds all of them.
        if options.batch == 1 || count != options.batch { return first.tensors }
        let images = (0..<options.batch).map { inputs[$0 % inputs.count].tensors }
        return try Dictionary(
            uniqueKeysWithValues: first.tensors.keys.map { name in
                (name, try Tensor(stacking: images.compactMap { $0[name] }))
            })
    }

    /// The configurations with sessions that have run once, and the index of the planner's choice, which comes last if
    /// it differs from all of them.
    private func contestants(
        _ configurations: [Comparison.Configuration], _ batch: [String: Tensor]
    ) async throws -> ([Contestant], Int) {
        var contestants: [Contestant] = []
        var limits: [Int: MachineLimits] = [:]
        for configuration in configurations {
            contestants.append(try await contestant(configuration, batch, &limits))
        }
        let planner = try await contestant(Self.free(configurations), batch, &limits)
        if let same = contestants.firstIndex(where: { $0.choices == planner.choices }) { return (contestants, same) }
        return (contestants + [planner], contestants.count)
    }

    /// - Parameter known: The processor's measured limits, by number of threads.
    private func contestant(
        _ configuration: Comparison.Configuration, _ batch: [String: Tensor], _ known: inout [Int: MachineLimits]
    ) async throws -> Contestant {
        var (limits, deviceLimits) = (nil as MachineLimits?, nil as MachineLimits?)
        if options.measuresLimits {
            limits = try await measured(configuration.options.threads, &known)
            if configuration.selection == nil {
                deviceLimits = try await MachineLimits.measured(deviceOf: configuration.options)
            }
        }
        progress?(.starting(configuration: configuration.name))
        return try await Contestant(
            configuration, model, batch, size: options.batch, limits: limits, deviceLimits: deviceLimits,
            trace: options.trace)
    }

    private func measured(_ threads: Int, _ known: inout [Int: MachineLimits]) async throws -> MachineLimits {
        if let limits = known[threads] { return limits }
        progress?(.measuringLimits)
        let limits = try await MachineLimits.measured(threads: threads)
        known[threads] = limits
        return limits
    }

    /// A configuration in which the planner may use the backends of all others.
    private static func free(_ configurations: [Comparison.Configuration]) -> Comparison.Configuration {
        var free = configurations[0]
        let taken = Set(configurations.map(\.name))
        free.name = taken.contains("planner") ? "planner's choice" : "planner"
        let named = configurations.flatMap(\.options.backends)
        if configurations.contains(where: { $0.options.backends.isEmpty && $0.selection == nil }) {
            free.options.backends = []
        } else {
            // The planner chooses the earlier backend when times are equal.
            let order: [BackendName] = [.cpu, .openblas, .opencl]
            let known = order.filter(named.contains)
            free.options.backends = known.isEmpty ? [.reference] : known
        }
        free.options.device = configurations.compactMap(\.options.device).first
        free.selection = configurations.compactMap(\.selection).first
        return free
    }

    private func agreement(_ configurations: [Comparison.Configuration]) async throws -> AgreementTotals {
        guard let first = inputs.first else { throw ApusError.usage("there is no input") }
        let shapes = model.graph.inputs.compactMap { first.tensors[model.graph[$0].name]?.shape }
        let network = try ComparedNetwork(model, inputShapes: shapes)
        let observed = try network.observed(as: model.name)
        var sessions: [Session] = []
        for configuration in configurations { sessions.append(try await configuration.session(observed)) }
        let measurement = AgreementMeasurement(network)
        let executor = try BlockingExecutor(name: "apus-reference", role: .tasks(threadCount: 1))
        var totals = AgreementTotals(sessionCount: sessions.count)
        for (index, input) in inputs.enumerated() {
            progress?(.comparing(input: index + 1, of: inputs.count))
            var found: [[String: Tensor]] = []
            for session in sessions { found.append(try await session.predict(input.tensors)) }
            let values = found
            totals.add(try await executor.run { try measurement.compare(input.tensors, values) }, of: input.id)
        }
        return totals
    }
}
