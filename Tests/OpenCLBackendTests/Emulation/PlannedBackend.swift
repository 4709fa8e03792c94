import OpenCLBackend
import Planning
import Testing

/// The lowerings for a device that is not there.
struct PlannedBackend: Backend {
    let name = "opencl"
    let deviceDescription: String
    let lowerings: [any Lowering]
    let device: (any Device)?

    /// - Parameters:
    ///   - device: What runs the plans; nil for a device on which nothing is run.
    ///   - multipliesBytes: Whether tensor cores multiply bytes.
    init(
        _ information: DeviceInformation, _ precision: MatrixPrecision = .float32, device: (any Device)? = nil,
        multipliesBytes: Bool = true
    ) {
        deviceDescription = information.description
        let dot = IntegerDot.candidates(information)[0]
        lowerings = OpenCLLowerings.all(
            information, precision, tiles: TileShape.candidates(information),
            bytes: ByteArithmetic(
                dot: { dot }, tiles: { TileShape.ofBytes(information, onTensorCores: multipliesBytes) }))
        self.device = device ?? PlannedDevice(information)
    }

    private final class PlannedDevice: Device {
        let name: String
        let memoryByteCount: Int
        let maximumBlockByteCount: Int

        init(_ information: DeviceInformation) {
            name = information.name
            memoryByteCount = information.memoryByteCount
            maximumBlockByteCount = information.maximumAllocationByteCount
        }

        func transferMicroseconds(byteCount: Int) -> Double { 15 + Double(byteCount) / 12_000 }

        func makeStream(recordingTimes recordsTimes: Bool) throws(DeviceError) -> any DeviceStream {
            throw DeviceError(.failed, "\(name) is only planned for")
        }
    }
}

extension DeviceInformation {
    /// The properties that an H100 reports with NVIDIA's driver 580.
    static func h100() throws -> DeviceInformation {
        var information = try #require(TestDevice.shared).information
        (information.name, information.vendor) = ("NVIDIA H100 80GB HBM3", "NVIDIA Corporation")
        (information.platform, information.version) = ("NVIDIA CUDA", "OpenCL 3.0 CUDA")
        (information.kind, information.sharesMemory) = (.gpu, false)
        (information.computeUnitCount, information.clockMegahertz) = (132, 1980)
        (information.memoryByteCount, information.maximumAllocationByteCount) = (85 * 1_000_000_000, 21 * 1_000_000_000)
        (information.maximumWorkGroupSize, information.localMemoryByteCount) = (1024, 48 << 10)
        return information
    }
}
