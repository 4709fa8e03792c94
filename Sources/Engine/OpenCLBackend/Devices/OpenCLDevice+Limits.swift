import Planning

extension OpenCLDevice {
    /// The measured maximum speed of a device, per second.
    package struct Limits: Sendable {
        /// Multiply-adds in registers.
        package let multiplyAdds: Double
        /// Bytes read from memory that is in no cache.
        package let bytes: Double
    }

    private enum Probe {
        static let (chains, rounds) = (12, 6)
        /// The maximum bytes that are read; they exceed every cache.
        static let maximumBytes = 512 << 20
    }

    /// Measures the device's maximum speed by its own clock. This takes some tenths of a second, and memory for that
    /// time.
    ///
    /// - Throws: ``DeviceError``.
    package func measureLimits() throws(DeviceError) -> Limits {
        let isProcessor = information.kind == .processor
        let local = isProcessor ? 1 : min(256, information.maximumWorkGroupSize)
        let itemCount = information.computeUnitCount * (isProcessor ? 4 : 16 * local)
        let (lanes, turns) = isProcessor ? (8, 100_000) : (4, 2_000)
        let wanted = min(
            isProcessor ? Probe.maximumBytes / 4 : Probe.maximumBytes, information.maximumAllocationByteCount / 4)
        let perItem = max(1, wanted / (4 * lanes * itemCount))
        let vectorCount = perItem * itemCount
        let byteCount = 4 * (lanes * vectorCount + itemCount)
        let values = Operand(
            elementType: .float32, shape: [lanes * vectorCount], strides: [1], place: .device(offset: 0))
        let sums = Operand(
            elementType: .float32, shape: [itemCount], strides: [1],
            place: .device(offset: 4 * lanes * vectorCount))
        // A processor's core reads consecutive memory; adjacent work-items of a GPU read adjacent memory.
        let walk: [KernelCall.Argument] = [
            .int(Int32(clamping: isProcessor ? perItem : 1)), .int(Int32(clamping: isProcessor ? 1 : itemCount)),
            .int(Int32(clamping: perItem)),
        ]
        func call(_ kernel: String, _ arguments: [KernelCall.Argument]) -> KernelStep {
            KernelStep([
                KernelCall(
                    .limits, kernel: kernel,
                    macros: ["LANES": "\(lanes)", "CHAINS": "\(Probe.chains)", "TURNS": "\(turns)"],
                    arguments: arguments, global: [itemCount], local: [local])
            ])
        }
        let part = DevicePart(
            device: self,
            steps: [
                call("multiply_adds", [.operand(sums), .float(0.5), .float(0.25)]),
                call("fill_values", [.operand(values)] + walk),
                call("read_values", [.operand(values), .operand(sums)] + walk),
            ], arenaByteCount: byteCount, stagingByteCount: 64)
        let prepared = try makeStream(recordingTimes: true).prepare(part)
        prepared.isRecording = true
        func shortest(_ step: Int) throws(DeviceError) -> Double {
            for _ in 0..<Probe.rounds { try prepared.enqueue(step: step) }
            try prepared.finish()
            return 1e-9 * Double(try prepared.takeTimes().map { max(1, $0.end - $0.start) }.min() ?? 1)
        }
        let arithmetic = try shortest(0)
        _ = try shortest(1)
        let reading = try shortest(2)
        return Limits(
            multiplyAdds: Double(itemCount * lanes * Probe.chains * turns) / arithmetic,
            bytes: Double(4 * lanes * vectorCount) / reading)
    }
}
