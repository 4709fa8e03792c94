import COpenCL
import Planning

/// The events of commands whose times are wanted.
final class CommandTimes {
    /// Whether events are recorded.
    var isKept = false
    private let library: OpenCLLibrary
    private var events: [cl_event] = []

    init(_ library: OpenCLLibrary) { self.library = library }

    deinit { release() }

    var count: Int { events.count }

    /// Calls `enqueue` with the address for the event; nil when none is wanted.
    func recording(
        _ enqueue: (UnsafeMutablePointer<cl_event?>?) throws(DeviceError) -> Void
    ) throws(DeviceError) {
        guard isKept else { return try enqueue(nil) }
        var event: cl_event?
        try enqueue(&event)
        if let event { events.append(event) }
    }

    /// Returns the times of the commands, which must be done, and forgets them.
    func take() throws(DeviceError) -> [DeviceTime] {
        defer { release() }
        return try events.map { event throws(DeviceError) in
            DeviceTime(
                enqueued: try time(event, CL_PROFILING_COMMAND_QUEUED),
                start: try time(event, CL_PROFILING_COMMAND_START),
                end: try time(event, CL_PROFILING_COMMAND_END))
        }
    }

    private func time(_ event: cl_event, _ moment: Int32) throws(DeviceError) -> Int64 {
        var nanoseconds: cl_ulong = 0
        try library.check(
            library.functions.clGetEventProfilingInfo(
                event, cl_profiling_info(moment), MemoryLayout<cl_ulong>.size, &nanoseconds, nil),
            "clGetEventProfilingInfo")
        return Int64(clamping: nanoseconds)
    }

    private func release() {
        for event in events { _ = library.functions.clReleaseEvent(event) }
        events.removeAll(keepingCapacity: true)
    }
}
