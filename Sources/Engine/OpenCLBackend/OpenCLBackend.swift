import Planning

/// An OpenCL device, on channels-last activations.
package struct OpenCLBackend: Backend {
    package let openCLDevice: OpenCLDevice
    package let lowerings: [any Lowering]
    /// The rounding of products.
    package let precision: MatrixPrecision

    /// - Parameters:
    ///   - precision: The rounding that products may have; the backend uses float32 where the device supports no other.
    ///   - tiles: The tiles of float32 products; nil for those that suit the device.
    package init(_ device: OpenCLDevice, precision: MatrixPrecision = .float32, tiles: [TileShape]? = nil) {
        openCLDevice = device
        self.precision = device.supports(precision) ? precision : .float32
        lowerings = OpenCLLowerings.all(
            device.information, self.precision, tiles: tiles ?? TileShape.candidates(device.information),
            bytes: ByteArithmetic(
                dot: { device.integerDot },
                tiles: {
                    TileShape.ofBytes(
                        device.information, onTensorCores: device.multipliesBytesOnTensorCores)
                }))
    }

    package var name: String { "opencl" }
    package var deviceDescription: String { openCLDevice.information.description }
    /// Incremented when kernels or lowerings change their speed, so that times measured before no longer count.
    private static let kernelVersion = 5

    package var measurementKey: String? {
        let information = openCLDevice.information
        return "opencl, kernels \(Self.kernelVersion), \(information.platform), \(information.description)"
    }

    package var device: (any Device)? { openCLDevice }
}
