/// When each thing happened in an execution. Times are ``MonotonicTime``.
package struct ExecutionTimeline: Sendable {
    /// The kind of work in a slice of time.
    package enum Work: UInt8, Sendable, BitwiseCopyable {
        /// A step of the plan: a layer, a copy between layouts, or layers that run strip by strip.
        case step
        /// Part of a step on one of its threads: one of the layers that run strip by strip.
        case stage
        /// Handing work to a device.
        case enqueue
        /// Waiting for a device.
        case wait
        /// Moving bytes from inputs, to outputs, or through the staging memory of a device.
        case copy
    }

    /// A slice of a thread's or a queue's time.
    package struct Slice: Sendable, BitwiseCopyable {
        package let work: Work
        /// Index into the plan's layers; −1 for none.
        package let layer: Int32
        package let start: Int64
        package let end: Int64

        package init(_ work: Work, layer: Int, start: Int64, end: Int64) {
            self.work = work
            self.layer = Int32(truncatingIfNeeded: layer)
            self.start = start
            self.end = end
        }

        package var nanoseconds: Int64 { end - start }
    }

    package let plan: Plan
    package internal(set) var start: Int64 = 0
    package internal(set) var end: Int64 = 0
    /// The work of the thread that ran the plan, in order.
    package internal(set) var host: [Slice] = []
    /// The work of the device's queue, in order and in times of the processor's clock, launching included.
    package internal(set) var device: [Slice] = []
    /// How long each thread worked on each layer: `[thread][layer]`. Thread 0 is the one that ran the plan.
    package internal(set) var threadNanoseconds: [[Int64]] = []
    /// The work of each thread within steps, in order; empty unless it was asked for.
    package internal(set) var threads: [[Slice]] = []

    init(plan: Plan) { self.plan = plan }
}
