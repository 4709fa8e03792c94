import Planning

extension OpenCLDevice {
    /// Whether products can have this precision. Float32 is always supported; the others are when a small product on
    /// tensor cores, compiled and run by this call, is right.
    package func supports(_ precision: MatrixPrecision) -> Bool {
        guard precision.isOnTensorCores else { return true }
        guard information.maker == .nvidia else { return false }
        return (try? probe(isHalf: precision == .float16)) ?? false
    }

    /// Whether `tensor_probe.cl` gives the results that its header states.
    private func probe(isHalf: Bool) throws(DeviceError) -> Bool {
        let (rows, columns, depth) = (16, 8, isHalf ? 16 : 8)
        let byteCount = rows * columns * MemoryLayout<Float>.stride
        let output = Operand(
            elementType: .float32, shape: [rows * columns], strides: [1], place: .device(offset: 0))
        let call = KernelCall(
            .tensorProbe, kernel: "tensor_probe", macros: isHalf ? ["HALF": "1"] : [:], arguments: [.operand(output)],
            global: [32], local: [32])
        let part = DevicePart(
            device: self, steps: [KernelStep([call])], arenaByteCount: byteCount, stagingByteCount: byteCount)
        let prepared = try makeStream(recordingTimes: false).prepare(part)
        try prepared.enqueue(step: 0)
        try prepared.download(arenaOffset: 0, stagingOffset: 0, byteCount: byteCount)
        try prepared.finish()
        let found = prepared.staging.bindMemory(to: Float.self, capacity: rows * columns)
        return (0..<rows * columns).allSatisfy { index in
            let (m, n) = index.quotientAndRemainder(dividingBy: columns)
            let sum = (0..<depth).reduce(0) { $0 + (3 * m + $1 % 5 - 7) * (2 * $1 - 3 * n + 1) }
            return found[index] == Float(sum)
        }
    }
}
