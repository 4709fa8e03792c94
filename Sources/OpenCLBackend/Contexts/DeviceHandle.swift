import COpenCL
import Tensors

/// What a context needs of its device.
struct DeviceHandle: @unchecked Sendable {
    // Handles of OpenCL may be used from any thread.
    let id: cl_device_id
    let library: OpenCLLibrary
    let information: DeviceInformation
    let memoryBudget: MemoryBudget
    let programCache: ProgramCache?

    var name: String { information.name }
}
