import COpenCL
import Planning

/// An in-order queue with an arena and staging memory, which the plans that run on it share.
///
/// Streams of one device copy and compute concurrently; within a stream, everything runs in order.
final class OpenCLStream: DeviceStream {
    let context: OpenCLContext
    let queue: OpenCLQueue
    let recordsTimes: Bool
    /// Makes the device forget the context.
    private let dropContext: () -> Void
    private var arena: OpenCLBuffer?
    private var staging: StagingMemory?
    /// Prepared plans; the most recently used is last.
    private var parts: [(part: DevicePart, prepared: PreparedKernels)] = []

    private static let maximumParts = 16

    /// - Parameter dropContext: Makes the device forget the context, so that its next stream creates another.
    init(
        _ context: OpenCLContext, recordsTimes: Bool, dropContext: @escaping () -> Void
    ) throws(DeviceError) {
        self.dropContext = dropContext
        self.context = context
        self.recordsTimes = recordsTimes
        queue = try OpenCLQueue(context, recordsTimes: recordsTimes)
    }

    func prepare(_ part: DevicePart) throws(DeviceError) -> any PreparedDevicePart {
        if let position = parts.firstIndex(where: { $0.part === part }) {
            parts.append(parts.remove(at: position))
            return parts[parts.count - 1].prepared
        }
        // Arguments name the memory, so larger memory requires preparing all plans again.
        if (arena?.byteCount ?? 0) < part.arenaByteCount || (staging?.byteCount ?? 0) < part.stagingByteCount {
            parts = []
        }
        let arena = try arena(of: part.arenaByteCount)
        let staging = try staging(of: part.stagingByteCount)
        let prepared = try PreparedKernels(part, self, arena: arena, staging: staging)
        if parts.count >= Self.maximumParts { parts.removeFirst() }
        parts.append((part, prepared))
        return prepared
    }

    func abandon() { dropContext() }

    private func arena(of byteCount: Int) throws(DeviceError) -> OpenCLBuffer {
        if let arena, arena.byteCount >= byteCount { return arena }
        arena = nil
        let larger = try OpenCLBuffer(context, byteCount: byteCount)
        arena = larger
        return larger
    }

    private func staging(of byteCount: Int) throws(DeviceError) -> StagingMemory {
        if let staging, staging.byteCount >= byteCount { return staging }
        staging = nil
        let larger = try StagingMemory(self, byteCount: byteCount)
        staging = larger
        return larger
    }
}

/// An in-order queue, released when no user is left.
final class OpenCLQueue {
    let handle: cl_command_queue
    private let context: OpenCLContext

    init(_ context: OpenCLContext, recordsTimes: Bool) throws(DeviceError) {
        self.context = context
        var status: cl_int = 0
        let properties = recordsTimes ? cl_command_queue_properties(CL_QUEUE_PROFILING_ENABLE) : 0
        let handle = context.library.functions.clCreateCommandQueue(
            context.handle, context.device.id, properties, &status)
        guard status == CL_SUCCESS, let handle else { throw DeviceError(status: status, "clCreateCommandQueue") }
        self.handle = handle
    }

    deinit { _ = context.library.functions.clReleaseCommandQueue(handle) }
}
