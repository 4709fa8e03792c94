import Inference
import Models
import Platform
import Tensors

/// A configuration with a session that is ready to run.
struct Contestant: Sendable {
    let configuration: Comparison.Configuration
    let benchmark: Benchmark
    let residentBytes: Int?

    /// Starts a session and runs it once.
    init(
        _ configuration: Comparison.Configuration, _ model: Model, _ batch: [String: Tensor], size: Int,
        limits: MachineLimits?, deviceLimits: MachineLimits?, trace: Trace?
    ) async throws(ApusError) {
        self.configuration = configuration
        var options = Benchmark.Options(
            name: configuration.name, batch: size, session: configuration.options, inputs: batch, limits: limits,
            deviceLimits: deviceLimits)
        options.selection = configuration.selection
        let before = ProcessMemory.residentBytes
        benchmark = try await Benchmark(model, options: options, trace: trace)
        let after = ProcessMemory.residentBytes
        residentBytes = before.flatMap { before in after.map { max(0, $0 - before) } }
    }

    /// The measurements, without the session.
    var measured: MeasuredConfiguration {
        MeasuredConfiguration(
            configuration: configuration, benchmark: benchmark.result, residentBytes: residentBytes)
    }

    /// The backend and lowering of every layer.
    var choices: [String] { benchmark.plan.layers.map { "\($0.name) \($0.backend) \($0.lowering)" } }
}

/// The measurements of a configuration.
struct MeasuredConfiguration: Sendable {
    let configuration: Comparison.Configuration
    let benchmark: BenchmarkResult
    let residentBytes: Int?
}

extension Comparison.Configuration {
    package func session(_ model: Model) async throws(ApusError) -> Session {
        try await Session(model, options: options, selection: try BackendSelection(options, unless: selection))
    }
}

extension [Contestant] {
    /// The minimum number of rounds, even if a single run takes longer than the whole time.
    private static var minimumRounds: Int { 3 }

    /// Times all configurations in turns, so that changes of the machine's speed affect all alike. The order rotates
    /// from round to round. Then each configuration is profiled.
    ///
    /// - Parameter peers: Other engines, whose turns follow in each round.
    func measure(
        _ options: Comparison.Options, _ peers: PeerTurns?, _ progress: (@Sendable (Comparison.Progress) -> Void)?
    ) async throws {
        let turn = options.seconds / Double(options.rounds)
        let slowest = self.map(\.benchmark.firstRunSeconds).max() ?? 0
        let rounds =
            slowest <= turn
            ? options.rounds : Swift.min(options.rounds, Swift.max(Self.minimumRounds, Int(options.seconds / slowest)))
        for contestant in self { try await contestant.benchmark.warmUp(limit: .seconds(Swift.min(2, options.seconds))) }
        for round in 0..<rounds {
            progress?(.timing(round: round + 1, of: rounds))
            for place in indices {
                try await self[(place + round) % count].benchmark.measure(
                    for: .seconds(options.seconds / Double(rounds)))
            }
            try await peers?.measure(for: options.seconds / Double(rounds))
        }
        for contestant in self {
            progress?(.profiling(configuration: contestant.configuration.name))
            try await contestant.benchmark.profile(for: .seconds(options.seconds / 3))
        }
    }
}
