/// What a device is expected to do, for placing layers before anything is measured.
package struct OpenCLSpeed: Sendable {
    /// Multiply-adds of float32 numbers in a microsecond, when all of the device is busy.
    package let multiplyAddsPerMicrosecond: Double
    /// Bytes read or written in a microsecond.
    package let bytesPerMicrosecond: Double
    /// Microseconds to start a kernel.
    package let startMicroseconds: Double
    private let transferBytesPerMicrosecond: Double
    private let transferStartMicroseconds: Double

    package init(_ information: DeviceInformation) {
        let units = Double(max(information.computeUnitCount, 1))
        guard information.kind != .processor else {
            // PoCL compiles work-items into plain loops: slower than the processor's own kernels.
            multiplyAddsPerMicrosecond = 2_000 * units
            bytesPerMicrosecond = 2_000
            (startMicroseconds, transferStartMicroseconds) = (50, 50)
            transferBytesPerMicrosecond = 5_000
            return
        }
        // Lanes of a compute unit: a multiprocessor, a compute unit, an execution unit.
        let lanes: Double =
            switch information.maker {
            case .nvidia: 128
            case .intel: 8
            case .amd, .other: 64
            }
        multiplyAddsPerMicrosecond = 0.5 * units * lanes * Double(max(information.clockMegahertz, 500))
        bytesPerMicrosecond = information.sharesMemory ? 40_000 : max(200_000, 10_000 * units)
        (startMicroseconds, transferStartMicroseconds) = (5, 15)
        transferBytesPerMicrosecond = information.sharesMemory ? 20_000 : 12_000
    }

    /// Expected microseconds of a kernel: its arithmetic or its memory traffic, whichever takes longer.
    ///
    /// - Parameter efficiency: The part of the full speed of arithmetic that the kernel reaches.
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
