import COpenCL
import Planning

extension DeviceError {
    /// - Parameter status: The status that an OpenCL function returned.
    init(status: cl_int, _ call: String) {
        let name = Self.names[status].map { "\($0) (\(status))" } ?? "\(status)"
        self.init(Self.memoryStatuses.contains(status) ? .outOfMemory : .failed, "\(call): \(name)")
    }

    private static let memoryStatuses: Set<cl_int> = [
        CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY, CL_INVALID_BUFFER_SIZE,
    ]

    private static let names: [cl_int: String] = [
        CL_DEVICE_NOT_FOUND: "device not found", CL_DEVICE_NOT_AVAILABLE: "device not available",
        CL_COMPILER_NOT_AVAILABLE: "compiler not available",
        CL_MEM_OBJECT_ALLOCATION_FAILURE: "memory could not be had", CL_OUT_OF_RESOURCES: "out of resources",
        CL_OUT_OF_HOST_MEMORY: "out of host memory", CL_BUILD_PROGRAM_FAILURE: "the program does not build",
        CL_INVALID_VALUE: "invalid value", CL_INVALID_BINARY: "invalid binary",
        CL_INVALID_KERNEL_NAME: "no such kernel", CL_INVALID_KERNEL_ARGS: "arguments are missing",
        CL_INVALID_ARG_INDEX: "no such argument", CL_INVALID_ARG_SIZE: "an argument of another size",
        CL_INVALID_WORK_GROUP_SIZE: "work-group size", CL_INVALID_WORK_ITEM_SIZE: "work-item size",
        CL_INVALID_COMMAND_QUEUE: "invalid command queue", CL_INVALID_CONTEXT: "invalid context",
        CL_INVALID_BUFFER_SIZE: "buffer size",
    ]
}
