import Planning

/// The sums of recorded times, in nanoseconds.
package struct ProfileTotals: Sendable {
    package struct Entry {
        package let layer: PlannedLayer
        package let firstOfStrips: Int?
        package fileprivate(set) var total: Int64 = 0
        package fileprivate(set) var minimum = Int64.max
        package fileprivate(set) var threads: [Int64] = []
        package fileprivate(set) var multiplyAdds = 0
        package fileprivate(set) var bytes = 0
    }

    private struct Key: Hashable {
        let name: String
        let operatorName: String
        let lowering: String
        /// The number of earlier layers of the plan with the same name, operator and lowering.
        let occurrence: Int
    }

    /// The positions of a plan's layers among the entries. Holds the plan's identity, so that no other plan can have
    /// it.
    private struct Places {
        let identity: PlanIdentity
        let entries: [Int]
    }

    private static let maximumPlanCount = 64

    package private(set) var entries: [Entry] = []
    private var entryOfKey: [Key: Int] = [:]
    private var placesOfPlan: [ObjectIdentifier: Places] = [:]
    package private(set) var model = ""
    package private(set) var runs = 0
    package private(set) var images = 0
    package private(set) var wall: Int64 = 0
    package private(set) var minimumWall = Int64.max
    package private(set) var rest = TimelineRest()
    package private(set) var queueing: Int64 = 0

    /// Adds the runs of plans that one call made.
    package mutating func add(_ records: [ExecutionTimeline], model: String, images: Int, asked: Int64, answered: Int64)
    {
        guard let first = records.first else { return }
        self.model = model
        runs += 1
        self.images += images
        wall += answered - asked
        minimumWall = min(minimumWall, answered - asked)
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
            entries[entry].minimum = min(entries[entry].minimum, nanoseconds)
        }
    }

    /// The time of each layer of a run, or its share of a step; nil for a layer without a step.
    private static func times(_ record: ExecutionTimeline) -> [Int64?] {
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

    private mutating func add(threadsOf record: ExecutionTimeline, _ places: [Int]) {
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
        if placesOfPlan.count > Self.maximumPlanCount { placesOfPlan = [:] }
        placesOfPlan[ObjectIdentifier(plan.identity)] = Places(identity: plan.identity, entries: places)
        return places
    }
}
