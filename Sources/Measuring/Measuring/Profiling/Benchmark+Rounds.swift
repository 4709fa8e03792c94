import Inference
import Models
import Planning
import Platform

extension Benchmark {
    /// The minimum number of runs and the duration in seconds of a window, whose median shows whether times are stable.
    private static let (minimumWindowRuns, windowSeconds) = (3, 0.1)

    /// Runs until times are stable: until the medians of the last three windows, of at least three runs and a tenth of
    /// a second each, lie within a tenth of each other.
    ///
    /// - Parameter limit: The maximum duration. The run in progress is finished.
    /// - Throws: As `predict(_:)`.
    public func warmUp(limit: Duration = .seconds(10)) async throws(ApusError) {
        let start = MonotonicTime.now
        let limit = limit / .seconds(1)
        var runs = 0
        var medians: [Double] = []
        var isStable = false
        while !isStable, MonotonicTime.seconds(since: start) < limit {
            let end = min(limit, MonotonicTime.seconds(since: start) + Self.windowSeconds)
            let times = try await run(
                until: { count in
                    let passed = MonotonicTime.seconds(since: start)
                    return passed >= limit || passed >= end && count >= Self.minimumWindowRuns
                })
            runs += times.count
            medians.append(TimeStatistics.quantile(0.5, of: times.sorted()))
            isStable = Self.isStable(medians)
        }
        let warmUp = BenchmarkResult.WarmUp(
            runs: runs, seconds: MonotonicTime.seconds(since: start), isStable: isStable)
        state.withLock { $0.warmUp = warmUp }
    }

    /// Whether the last three medians are within 10 % of each other.
    package static func isStable(_ medians: [Double]) -> Bool {
        let last = medians.suffix(3)
        guard last.count == 3, let minimum = last.min(), let maximum = last.max() else { return false }
        return maximum <= 1.1 * minimum
    }

    /// Measures runs for a duration, at least one on each stream, and adds them to the result.
    ///
    /// - Throws: As `predict(_:)` of ``Session``.
    public func measure(for duration: Duration) async throws(ApusError) {
        let start = MonotonicTime.now
        let limit = duration / .seconds(1)
        let times = try await run(until: { _ in MonotonicTime.seconds(since: start) >= limit })
        let seconds = MonotonicTime.seconds(since: start)
        let peak = ProcessMemory.peakResidentBytes
        state.withLock { state in
            state.times += times
            state.roundMedians.append(TimeStatistics.quantile(0.5, of: times.sorted()))
            state.measuredSeconds += seconds
            state.peakResidentBytes = peak
        }
    }

    /// Runs with the profiler on for a duration, at least once, and keeps the profile. ``measure(for:)`` does not count
    /// these runs. Call it last: afterwards a device uses a queue that records times.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when no layer can be planned before the network runs; otherwise as
    ///   `predict(_:)` of ``Session``.
    @discardableResult public func profile(for duration: Duration) async throws(ApusError) -> Profile {
        let wasRecording = profiler.isRecording
        defer { profiler.isRecording = wasRecording }
        profiler.isRecording = true
        // The first recorded run on a device makes a profiling queue, so it is not timed.
        _ = try await session.predict(inputs)
        profiler.reset()
        let start = MonotonicTime.now
        let limit = duration / .seconds(1)
        _ = try await run(until: { _ in MonotonicTime.seconds(since: start) >= limit })
        let limits = options.limits?.share(of: options.session.streams)
        guard let profile = profiler.profile(limits: limits, deviceLimits: options.deviceLimits) else {
            throw .usage(
                "\(session.model.name): no layer to record: the shapes of all nodes are known only while they run")
        }
        state.withLock { $0.profile = profile }
        return profile
    }

    /// Runs on all streams concurrently, at least once on each, until `isOver` is true for the number of a stream's
    /// runs.
    ///
    /// - Returns: The seconds of every run.
    private func run(until isOver: @escaping @Sendable (_ count: Int) -> Bool) async throws(ApusError) -> [Double] {
        @Sendable func runStream() async throws(ApusError) -> [Double] {
            var times: [Double] = []
            repeat {
                let start = MonotonicTime.now
                _ = try await session.predict(inputs)
                times.append(MonotonicTime.seconds(since: start))
            } while !isOver(times.count)
            return times
        }
        guard options.session.streams > 1 else { return try await runStream() }
        do {
            return try await withThrowingTaskGroup(of: [Double].self) { group in
                for _ in 0..<options.session.streams { group.addTask { try await runStream() } }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        } catch {
            throw ApusError(error, model: session.model.name)
        }
    }

    /// The result of the measurements so far.
    public var result: BenchmarkResult {
        let state = state.withLock { $0 }
        let images = state.times.count * imageCount
        let latency = TimeStatistics(seconds: state.times)
        let used = Set(plan.layers.map(\.backend))
        return BenchmarkResult(
            model: session.model.name, version: Version.current,
            configuration: BenchmarkResult.Configuration(
                name: options.name, backends: options.session.backends.map(\.rawValue),
                devices: session.deviceDescriptions.filter { used.contains($0.name) }.map {
                    "\($0.name): \($0.device)"
                },
                batch: imageCount, threads: options.session.threads, streams: options.session.streams,
                precision: options.session.precision.rawValue,
                choice: plan.layers.contains(where: \.isMeasured) ? "measured times" : "expected times",
                shares: shares(state.profile)),
            loadSeconds: loadSeconds, planSeconds: planSeconds, firstRunSeconds: firstRunSeconds,
            warmUp: state.warmUp, latency: latency,
            imagesPerSecond: state.measuredSeconds > 0 ? Double(images) / state.measuredSeconds : nil,
            roundMedians: state.roundMedians,
            memory: BenchmarkResult.Memory(
                peakResidentBytes: state.peakResidentBytes,
                weightBytes: session.model.graph.initializers.values.reduce(0) { $0 &+ $1.byteCount },
                arenaBytes: plan.arenaBytes, deviceArenaBytes: plan.deviceArenaBytes),
            limits: options.limits, deviceLimits: options.deviceLimits, profile: state.profile,
            noise: BenchmarkResult.noise(latency, roundMedians: state.roundMedians))
    }

    /// The share of each backend in a run.
    private func shares(_ profile: Profile?) -> [BenchmarkResult.BackendShare] {
        var seconds: [String: Double] = [:]
        var counts: [String: Int] = [:]
        for layer in plan.layers where layer.microseconds > 0 {
            counts[layer.backend, default: 0] += 1
            if profile == nil {
                seconds[layer.backend, default: 0] += (layer.measuredMicroseconds ?? layer.microseconds) / 1e6
            }
        }
        for layer in profile?.layers ?? [] { seconds[layer.backend, default: 0] += layer.seconds }
        let total = seconds.values.reduce(0, +)
        let asked = options.session.backends
        return counts.map { name, count in
            BenchmarkResult.BackendShare(
                backend: name,
                isAskedFor: asked.isEmpty
                    ? name != BackendName.reference.rawValue : asked.contains { $0.rawValue == name },
                layers: count, time: total > 0 ? seconds[name, default: 0] / total : 0)
        }.sorted { ($1.time, $0.backend) < ($0.time, $1.backend) }
    }
}
