import COpenCL
import Planning
import Tensors

/// A block of a device's memory, released with the last reference.
final class OpenCLBuffer: @unchecked Sendable {
    // Any thread may use OpenCL's handles. This one never changes.
    let memory: cl_mem
    let byteCount: Int
    private let context: OpenCLContext

    /// - Parameter content: The initial content, copied into the buffer when given.
    init(
        _ context: OpenCLContext, byteCount: Int, flags: Int32 = CL_MEM_READ_WRITE, content: UnsafeRawPointer? = nil
    ) throws(DeviceError) {
        // OpenCL has no empty buffers.
        self.byteCount = max(byteCount, 1)
        self.context = context
        guard byteCount <= context.device.information.maximumAllocationByteCount else {
            throw DeviceError(
                .outOfMemory,
                "\(context.device.name): \(byteCount) bytes are more than a buffer takes, "
                    + "\(context.device.information.maximumAllocationByteCount)")
        }
        do {
            try context.device.memoryBudget.reserve(self.byteCount)
        } catch {
            throw DeviceError(.outOfMemory, "\(context.device.name): \(error)")
        }
        let functions = context.library.functions
        var status: cl_int = 0
        let copying = content != nil && byteCount > 0
        let memory = functions.clCreateBuffer(
            context.handle, cl_mem_flags(flags | (copying ? CL_MEM_COPY_HOST_PTR : 0)), self.byteCount,
            copying ? UnsafeMutableRawPointer(mutating: content) : nil, &status)
        guard status == CL_SUCCESS, let memory else {
            context.device.memoryBudget.release(self.byteCount)
            throw DeviceError(status: status, "clCreateBuffer of \(self.byteCount) bytes")
        }
        self.memory = memory
        context.countBuffers(by: 1)
    }

    deinit {
        _ = context.library.functions.clReleaseMemObject(memory)
        context.device.memoryBudget.release(byteCount)
        context.countBuffers(by: -1)
    }
}
