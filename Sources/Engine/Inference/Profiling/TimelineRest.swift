import Graphs
import Planning

/// The time of a run that is not spent in steps, in nanoseconds.
package struct TimelineRest: Sendable {
    package private(set) var copies: Int64 = 0
    /// The time of waiting for a device that does nothing meanwhile.
    package private(set) var waiting: Int64 = 0
    /// The time in which both the processor and the device worked.
    package private(set) var overlap: Int64 = 0

    package init() {}

    package init(_ record: ExecutionTimeline) {
        self.init(host: record.host, device: record.device)
    }

    /// Sums the slices of a run.
    ///
    /// - Parameters:
    ///   - host: The slices of a thread, in order of time.
    ///   - device: The slices of a queue, in order of time.
    package init(host: [ExecutionTimeline.Slice], device: [ExecutionTimeline.Slice]) {
        var next = 0
        for slice in host {
            if slice.work == .copy { copies += slice.nanoseconds }
            guard slice.work != .enqueue else { continue }
            while next < device.count, device[next].end <= slice.start { next += 1 }
            var shared: Int64 = 0
            var index = next
            while index < device.count, device[index].start < slice.end {
                shared += max(0, min(device[index].end, slice.end) - max(device[index].start, slice.start))
                index += 1
            }
            if slice.work == .wait { waiting += slice.nanoseconds - shared } else { overlap += shared }
        }
    }

    package mutating func add(_ other: TimelineRest) {
        copies += other.copies
        waiting += other.waiting
        overlap += other.overlap
    }
}
