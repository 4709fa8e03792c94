import Planning

/// A device of OpenCL, on channels-last activations.
package struct OpenCLBackend: Backend {
    package let openCLDevice: OpenCLDevice
    package let lowerings: [any Lowering]
    /// How products are rounded.
    package let precision: MatrixPrecision

    /// - Parameter precision: How products may be rounded; float32 where the device cannot otherwise.
    package init(_ device: OpenCLDevice, precision: MatrixPrecision = .float32) {
        openCLDevice = device
        self.precision = device.supports(precision) ? precision : .float32
        lowerings = OpenCLLowerings.all(device.information, self.precision)
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
