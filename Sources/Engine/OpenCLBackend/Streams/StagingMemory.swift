import COpenCL
import Planning

/// Memory of the processor from and to which a device copies directly; mapped during its lifetime.
final class StagingMemory {
    let base: UnsafeMutableRawPointer
    let byteCount: Int
    private let buffer: OpenCLBuffer
    private let library: OpenCLLibrary
    private let queue: OpenCLQueue

    init(_ stream: OpenCLStream, byteCount: Int) throws(DeviceError) {
        let buffer = try OpenCLBuffer(
            stream.context, byteCount: byteCount, flags: CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR)
        var status: cl_int = 0
        let base = stream.context.library.functions.clEnqueueMapBuffer(
            stream.queue.handle, buffer.memory, cl_bool(CL_TRUE), cl_map_flags(CL_MAP_READ | CL_MAP_WRITE), 0,
            buffer.byteCount, 0, nil, nil, &status)
        guard status == CL_SUCCESS, let base else { throw DeviceError(status: status, "clEnqueueMapBuffer") }
        self.base = base
        self.byteCount = buffer.byteCount
        self.buffer = buffer
        library = stream.context.library
        queue = stream.queue
    }

    deinit {
        _ = library.functions.clEnqueueUnmapMemObject(queue.handle, buffer.memory, base, 0, nil, nil)
        _ = library.functions.clFinish(queue.handle)
    }
}
