import Planning

/// A device of OpenCL, on channels-last activations.
package struct OpenCLBackend: Backend {
    package let openCLDevice: OpenCLDevice
    package let lowerings: [any Lowering]

    package init(_ device: OpenCLDevice) {
        openCLDevice = device
        lowerings = OpenCLLowerings.all(device.information)
    }

    package var name: String { "opencl" }
    package var deviceDescription: String { openCLDevice.information.description }
    package var device: (any Device)? { openCLDevice }
}
