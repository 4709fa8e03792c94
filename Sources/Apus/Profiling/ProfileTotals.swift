import Planning

/// Sums of what was recorded, in nanoseconds.
struct ProfileTotals: Sendable {
    private struct Entry {
        let layer: PlannedLayer
        let firstOfStrips: Int?
        var total: Int64 = 0
        var least = Int64.max
        var threads: [Int64] = []
        var multiplyAdds = 0
        var bytes = 0
    }

    private struct Key: Hashable {
        let name: String
        let operatorName: String
        let lowering: String
        /// How many of the plan's layers before it are called alike.
        let occurrence: Int
    }

    /// Where the layers of a plan stand among the entries. Keeps the plan's identity from being used again.
    private struct Places {
        let identity: PlanIdentity
        let entries: [Int]
    }

    private static let mostPlans = 64

    private var entries: [Entry] = []
    private var entryOfKey: [Key: Int] = [:]
    private var placesOfPlan: [ObjectIdentifier: Places] = [:]
    private var model = ""
    private var runs = 0
    private var images = 0
    private var wall: Int64 = 0
    private var leastWall = Int64.max
    private var rest = TimelineRest()
    private var queueing: Int64 = 0

    /// Adds the runs of plans of one call.
    mutating func add(_ records: [RunRecord], model: String, images: Int, asked: Int64, answered: Int64) {
        guard let first = records.first else { return }
        self.model = model
        runs += 1
        self.images += images
        wall += answered - asked
        leastWall = min(leastWall, answered - asked)
        queueing += max(0, first.start - asked)
        var times = [Int64?](repeating: nil, count: entries.count)
        for record in records {
            let places = places(of: record.plan)
            if entries.count > times.count { times += [Int64?](repeating: nil, count: entries.count - times.count) }
            for (layer, nanoseconds) in Self.times(record).enumerated() {
                guard let nanoseconds else { continue }
                times[places[layer]] = (times[places[layer]] ?? 0) + nanoseconds
            }
            add(threadsOf: record, places)
            rest.add(TimelineRest(record))
        }
        for (entry, nanoseconds) in times.enumerated() {
            guard let nanoseconds else { continue }
            entries[entry].total += nanoseconds
            entries[entry].least = min(entries[entry].least, nanoseconds)
        }
    }

    /// How long each layer of a run took, or its share of a step; nil of one that has no step.
    private static func times(_ record: RunRecord) -> [Int64?] {
        let layers = record.plan.layers
        var times = [Int64?](repeating: nil, count: layers.count)
        for slice in record.host where slice.work == .step {
            times[Int(slice.layer)] = (times[Int(slice.layer)] ?? 0) + slice.nanoseconds
        }
        for slice in record.device { times[Int(slice.layer)] = (times[Int(slice.layer)] ?? 0) + slice.nanoseconds }
        for last in layers.indices {
            guard let chain = layers[last].chain, let whole = times[last], chain.operations.last == last else {
                continue
            }
            let parts = chain.operations.map { layer in record.threadNanoseconds.reduce(0) { $0 + $1[layer] } }
            let sum = parts.reduce(0, +)
            guard sum > 0 else { continue }
            var left = whole
            for (layer, part) in zip(chain.operations, parts) where layer != last {
                let share = Int64(Double(whole) * Double(part) / Double(sum))
                times[layer] = share
                left -= share
            }
            times[last] = left
        }
        return times
    }

    private mutating func add(threadsOf record: RunRecord, _ places: [Int]) {
        let layers = record.plan.layers
        let runCount = record.plan.batching.runCount
        for (layer, place) in places.enumerated() {
            entries[place].multiplyAdds &+= layers[layer].multiplyAdds &* runCount
            entries[place].bytes &+= layers[layer].byteCount &* runCount
            if layers[layer].space == .device, record.plan.devicePart != nil { continue }
            if entries[place].threads.count < record.threadNanoseconds.count {
                let missing = record.threadNanoseconds.count - entries[place].threads.count
                entries[place].threads += [Int64](repeating: 0, count: missing)
            }
            for (thread, nanoseconds) in record.threadNanoseconds.enumerated() {
                entries[place].threads[thread] += nanoseconds[layer]
            }
        }
    }

    private mutating func places(of plan: Plan) -> [Int] {
        if let places = placesOfPlan[ObjectIdentifier(plan.identity)] { return places.entries }
        var counts: [Key: Int] = [:]
        var places: [Int] = []
        for layer in plan.layers {
            func key(_ occurrence: Int) -> Key {
                Key(
                    name: layer.name, operatorName: layer.operatorName, lowering: "\(layer.backend)/\(layer.lowering)",
                    occurrence: occurrence)
            }
            let occurrence = counts[key(0), default: 0]
            counts[key(0)] = occurrence + 1
            if let entry = entryOfKey[key(occurrence)] {
                places.append(entry)
                continue
            }
            entryOfKey[key(occurrence)] = entries.count
            places.append(entries.count)
            let first = layer.chain.map { $0.operations.lowerBound }
            entries.append(
                Entry(layer: layer, firstOfStrips: first.flatMap { places.indices.contains($0) ? places[$0] : nil }))
        }
        if placesOfPlan.count > Self.mostPlans { placesOfPlan = [:] }
        placesOfPlan[ObjectIdentifier(plan.identity)] = Places(identity: plan.identity, entries: places)
        return places
    }

    func profile(_ limits: MachineLimits?, _ deviceLimits: MachineLimits?) -> Profile? {
        guard runs > 0 else { return nil }
        let runs = Double(runs)
        func seconds(_ nanoseconds: Int64) -> Double { 1e-9 * Double(nanoseconds) / runs }
        let layers = entries.map { entry in
            let isOnDevice = entry.layer.space == .device || entry.layer.transferByteCount > 0
            let multiplyAdds = Int((Double(entry.multiplyAdds) / runs).rounded())
            let bytes = Int((Double(entry.bytes) / runs).rounded())
            let time = seconds(entry.total)
            let least = (isOnDevice ? deviceLimits : limits)?.shortestTime(multiplyAdds: multiplyAdds, bytes: bytes)
            let work: Profile.Work =
                entry.layer.transferByteCount > 0
                ? .transfer : entry.layer.operatorName == Reorder.name ? .reorder : .layer
            return Profile.Layer(
                name: entry.layer.name, operator: entry.layer.operatorName, work: work,
                inputs: entry.layer.inputShapes, outputs: entry.layer.outputShapes, backend: entry.layer.backend,
                lowering: entry.layer.lowering, isOnDevice: isOnDevice, firstOfStrips: entry.firstOfStrips,
                seconds: time, leastSeconds: entry.least == .max ? 0 : 1e-9 * Double(entry.least),
                threadSeconds: isOnDevice ? [] : entry.threads.map(seconds), multiplyAdds: multiplyAdds, bytes: bytes,
                bound: time > 0 ? least?.bound : nil, peakFraction: time > 0 ? least.map { $0.seconds / time } : nil)
        }
        let known = rest.copies + rest.waiting - rest.overlap + queueing + entries.reduce(0) { $0 + $1.total }
        return Profile(
            model: model, runs: self.runs, images: images, seconds: seconds(wall),
            leastSeconds: 1e-9 * Double(leastWall), layers: layers,
            rest: Profile.Rest(
                copies: seconds(rest.copies), waiting: seconds(rest.waiting), queueing: seconds(queueing),
                scheduling: seconds(wall - known), overlap: -seconds(rest.overlap)),
            limits: limits, deviceLimits: deviceLimits)
    }
}
