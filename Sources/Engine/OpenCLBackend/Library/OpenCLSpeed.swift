/// The expected speed of a device, for placing layers before anything is measured.
package struct OpenCLSpeed: Sendable {
    /// Float32 multiply-adds per microsecond when the whole device is busy.
    package let multiplyAddsPerMicrosecond: Double
    /// The part of it that one compute unit makes.
    let unitMultiplyAddsPerMicrosecond: Double
    let unitCount: Int
    let cyclesPerMicrosecond: Double
    /// Bytes read or written per microsecond.
    package let bytesPerMicrosecond: Double
    /// Microseconds to start a kernel.
    package let startMicroseconds: Double
    private let transferBytesPerMicrosecond: Double
    private let transferStartMicroseconds: Double

    package init(_ information: DeviceInformation) {
        unitCount = max(information.computeUnitCount, 1)
        let units = Double(unitCount)
        guard information.kind != .processor else {
            // PoCL compiles work-items into plain loops: slower than the processor's own kernels.
            multiplyAddsPerMicrosecond = 2_000 * units
            (unitMultiplyAddsPerMicrosecond, cyclesPerMicrosecond) = (2_000, 2_000)
            bytesPerMicrosecond = 2_000
            (startMicroseconds, transferStartMicroseconds) = (50, 50)
            transferBytesPerMicrosecond = 5_000
            return
        }
        // Lanes per compute unit, which is a multiprocessor on NVIDIA and an execution unit on Intel, and the part of
        // their clock that they keep up.
        let (lanes, part): (Double, Double) =
            switch information.maker {
            case .nvidia: (128, 0.9)
            case .intel: (8, 0.5)
            case .amd, .other: (64, 0.5)
            }
        cyclesPerMicrosecond = part * Double(max(information.clockMegahertz, 500))
        unitMultiplyAddsPerMicrosecond = lanes * cyclesPerMicrosecond
        multiplyAddsPerMicrosecond = units * unitMultiplyAddsPerMicrosecond
        // NVIDIA's devices with much memory have stacked memory: an H100 reads 2.97 TB/s.
        let isStacked = information.maker == .nvidia && information.memoryByteCount > 36 << 30
        bytesPerMicrosecond = information.sharesMemory ? 40_000 : max(200_000, (isStacked ? 20_000 : 10_000) * units)
        (startMicroseconds, transferStartMicroseconds) = (5, 15)
        transferBytesPerMicrosecond = information.sharesMemory ? 20_000 : 12_000
    }

    /// Expected microseconds of a kernel: the longer of its arithmetic and its memory traffic, plus the start.
    ///
    /// - Parameter efficiency: The part of the full arithmetic speed that the kernel reaches.
    package func microseconds(multiplyAdds: Int, byteCount: Int, efficiency: Double = 1) -> Double {
        startMicroseconds
            + max(
                Double(multiplyAdds) / (multiplyAddsPerMicrosecond * efficiency),
                Double(byteCount) / bytesPerMicrosecond)
    }

    func transferMicroseconds(byteCount: Int) -> Double {
        transferStartMicroseconds + Double(byteCount) / transferBytesPerMicrosecond
    }
}
