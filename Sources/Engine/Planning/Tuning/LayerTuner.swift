import Graphs
import Synchronization
import Tensors

/// Measures the contenders of layers, one layer at a time. Contenders of a device are measured if their results agree
/// with the processor's.
///
/// Before each run, as many bytes are read as the network takes, and then the layer's inputs and arena. Weights
/// therefore come from memory and everything else from the caches, as in a run of the whole network.
///
/// Not safe for concurrent use.
package final class LayerTuner {
    let planner: Planner
    let execution: Execution
    /// Memory that is read to drive weights out of the caches.
    private let otherMemory: Storage
    private let sums: Storage

    /// The maximum bytes read; more do not fit in the caches.
    private static let maximumOtherBytes = 64 << 20
    private static let (minimumRounds, maximumRounds) = (6, 40)
    /// After this time from the start of a layer, no further round begins.
    private static let timeLimit = Duration.milliseconds(250)
    /// After some rounds, a contender that took more than this many times as long as the fastest is not run again.
    private static let hopelessRatio = 1.4
    /// How often a short step of a device is enqueued before each wait.
    private static let repeats = 8

    /// - Parameters:
    ///   - planner: The planner whose backends and number of threads are measured.
    ///   - workers: As many threads as the planner uses.
    ///   - networkByteCount: The bytes that one execution of the network reads and writes.
    package init(planner: Planner, workers: any Workers, networkByteCount: Int) throws(PlanningError) {
        self.planner = planner
        execution = Execution(workers: workers)
        do {
            otherMemory = try Storage(byteCount: min(networkByteCount, Self.maximumOtherBytes), zeroed: true)
            sums = try Storage(byteCount: 64 * workers.count, zeroed: true)
        } catch {
            throw .tensor(error)
        }
    }

    /// Runs the contenders of a layer in turns, and records the shortest time of each, or why it is refused.
    ///
    /// - Parameter images: The number of images for which the layer was planned.
    /// - Throws: ``PlanningError/cancelled`` when the flag is set during the measurement.
    package func measure(
        _ layer: TunableLayer, images: Int, cancellation: CancellationFlag? = nil
    ) throws(PlanningError) -> TuningCache {
        let packedWeights = PackedWeights()
        let refusals = try refusals(of: layer, packedWeights, cancellation)
        var plans: [Plan] = []
        let timed = layer.contenders.indices.filter { refusals[$0] == nil }
        for index in timed {
            plans.append(try planner.plan(layer, by: layer.contenders[index], packedWeights: packedWeights))
        }
        let times = Dictionary(uniqueKeysWithValues: zip(timed, try shortestTimes(of: plans, cancellation)))
        var records = TuningCache()
        for (index, contender) in layer.contenders.enumerated() {
            guard let key = contender.backend.measurementKey else { continue }
            // The fastest kernel of a device depends on the batch; on the processor the choice must not depend on it.
            let signature = contender.backend.space == .device ? layer.signature.ofBatch(layer.images) : layer.signature
            var entry =
                records[key, signature]
                ?? TuningCache.Entry(microseconds: [:], threads: planner.threadCount, images: images)
            if let reason = refusals[index] {
                entry.refusals = (entry.refusals ?? [:]).merging([contender.recordName: reason]) { $1 }
            } else if let time = times[index] {
                entry.microseconds[contender.recordName] = max(time / .microseconds(1), 0.001) / Double(images)
            }
            records[key, signature] = entry
        }
        return records
    }

    private func shortestTimes(
        of plans: [Plan], _ cancellation: CancellationFlag?
    ) throws(PlanningError) -> [Duration] {
        guard let first = plans.first else { return [] }
        let inputs = try randomInputs(of: first, seed: 1)
        let clock = ContinuousClock()
        do {
            for plan in plans { try execution.prepare(for: plan) }
            return try inputs.map { UnsafeRawPointer($0.firstElement) }.withUnsafeBufferPointer { addresses in
                defer { withExtendedLifetime(inputs) {} }
                var shortest = [Duration](repeating: .seconds(1_000_000), count: plans.count)
                let start = clock.now
                for round in 0..<Self.maximumRounds {
                    if round >= Self.minimumRounds, clock.now - start > Self.timeLimit { break }
                    let best = shortest.min() ?? .zero
                    for (index, plan) in plans.enumerated() {
                        if let cancellation, cancellation.isSet { throw PlanningError.cancelled }
                        if round >= Self.minimumRounds / 2, shortest[index] > best * Self.hopelessRatio { continue }
                        shortest[index] = try execution.withOutputs(of: plan) { outputs in
                            guard
                                let context = execution.context(plan, inputs: addresses, outputs: outputs, run: 0)
                            else { return shortest[index] }
                            read(otherMemory.base, otherMemory.byteCount)
                            for input in inputs { read(input.storage.base, input.storage.byteCount) }
                            read(context.memory.arena, plan.arenaByteCount)
                            return min(shortest[index], try time(plan, context, clock))
                        }
                    }
                }
                return shortest
            }
        } catch let error as PlanningError {
            throw error
        } catch let error as TensorError {
            throw .tensor(error)
        } catch {
            throw .run(node: "", operatorName: "", message: "\(error)")
        }
    }

    /// The time of one execution of the plan's steps, without copies to a device.
    private func time(_ plan: Plan, _ context: StepContext, _ clock: ContinuousClock) throws -> Duration {
        guard let device = try execution.prepareDevice(for: plan) else {
            return try clock.measure { for planned in plan.steps { try planned.run(context, nil) } }
        }
        func isTransfer(_ step: Plan.PlannedStep) -> Bool { if case .transfer = step.work { true } else { false } }
        for planned in plan.steps where isTransfer(planned) { try planned.run(context, device) }
        try device.finish(context)
        let steps = plan.steps.filter { !isTransfer($0) }
        func time(_ count: Int) throws -> Duration {
            try clock.measure {
                for _ in 0..<count { for planned in steps { try planned.run(context, device) } }
                try device.finish(context)
            } / count
        }
        // In a run of the whole network, short steps follow one another without waiting.
        let one = try time(1)
        return one < .milliseconds(1) ? try time(Self.repeats) : one
    }

    private struct Reading: BitwiseCopyable {
        static let pieceByteCount = 64 * 1024
        static let lineByteCount = 64
        let start: UnsafeRawPointer
        let byteCount: Int
        /// One number per thread, a cache line apart.
        let sums: UnsafeMutableRawPointer
    }

    /// Reads one byte of each cache line of a range of memory, on all threads.
    private func read(_ start: UnsafeRawPointer, _ byteCount: Int) {
        let reading = Reading(start: start, byteCount: byteCount, sums: sums.base)
        withUnsafePointer(to: reading) { context in
            execution.workers.run(
                (byteCount + Reading.pieceByteCount - 1) / Reading.pieceByteCount, UnsafeRawPointer(context)
            ) { context, piece, worker in
                let it = context.load(as: Reading.self)
                let first = piece * Reading.pieceByteCount
                let end = min(first + Reading.pieceByteCount, it.byteCount)
                var sum: UInt8 = 0
                for offset in stride(from: first, to: end, by: Reading.lineByteCount) {
                    sum &+= it.start.load(fromByteOffset: offset, as: UInt8.self)
                }
                it.sums.storeBytes(of: sum, toByteOffset: worker * Reading.lineByteCount, as: UInt8.self)
            }
        }
    }
}
