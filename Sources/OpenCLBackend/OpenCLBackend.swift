import Planning

/// A device of OpenCL, on channels-last activations.
package struct OpenCLBackend: Backend {
    package let openCLDevice: OpenCLDevice
    package let lowerings: [any Lowering]
    /// How products are rounded.
    package let precision: MatrixPrecision

    /// - Parameters:
    ///   - precision: How products may be rounded; float32 where the device cannot otherwise.
    ///   - tiles: The ways of cutting products in float32; nil for those that suit the device.
    package init(_ device: OpenCLDevice, precision: MatrixPrecision = .float32, tiles: [MatrixTiles]? = nil) {
        openCLDevice = device
        self.precision = device.supports(precision) ? precision : .float32
        lowerings = OpenCLLowerings.all(
            device.information, self.precision, tiles: tiles ?? MatrixTiles.candidates(device.information))
    }

    package var name: String { "opencl" }
    package var deviceDescription: String { openCLDevice.information.description }
    /// Raised when kernels or lowerings change their speed, so that times measured before no longer count.
    private static let kernelVersion = 2

    package var measurementKey: String? {
        let information = openCLDevice.information
        return "opencl, kernels \(Self.kernelVersion), \(information.platform), \(information.description)"
    }

    package var device: (any Device)? { openCLDevice }
}
