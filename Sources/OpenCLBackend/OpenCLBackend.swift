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
    /// Raised when kernels or lowerings change their speed, so that times measured before no longer count.
    private static let kernelVersion = 1

    package var measurementKey: String? {
        let information = openCLDevice.information
        return "opencl, kernels \(Self.kernelVersion), \(information.platform), \(information.description)"
    }

    package var device: (any Device)? { openCLDevice }
}
