import COpenCL
import Tensors

/// The properties of a device that its context needs.
struct DeviceHandle: @unchecked Sendable {
    // Any thread may use OpenCL's handles.
    let id: cl_device_id
    let library: OpenCLLibrary
    let information: DeviceInformation
    let memoryBudget: MemoryBudget
    let programCache: ProgramCache?

    var name: String { information.name }
}
