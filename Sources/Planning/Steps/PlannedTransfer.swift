import Tensors

/// A transfer of a value that is dense on the device and in the staging memory, with any strides on the processor's
/// side.
struct PlannedTransfer: Sendable {
    let target: MemorySpace
    /// The value in the processor's memory, with its axes in the order of the dense value's memory.
    let host: Operand
    /// Strides of the dense value, kept so that a run need not compute them.
    let denseStrides: [Int]
    let byteCount: Int
    let arenaOffset: Int
    let stagingOffset: Int

    /// - Returns: nil where the second operand does not lie in a device's arena.
    init?(to target: MemorySpace, host: Operand, device: Operand, stagingOffset: Int) {
        guard case .device(let arenaOffset) = device.place else { return nil }
        let order = device.strides.indices.sorted { device.strides[$0] > device.strides[$1] }
        var host = host
        host.shape = order.map { device.shape[$0] }
        host.strides = order.map { [strides = host.strides] in strides[$0] }
        self.target = target
        self.host = host
        self.arenaOffset = arenaOffset
        self.stagingOffset = stagingOffset
        denseStrides = Shape.rowMajorStrides(host.shape)
        byteCount = host.elementCount * host.elementType.byteCount
    }

    func stage(_ memory: RunMemory, _ staging: UnsafeMutableRawPointer) {
        copyStrided(
            shape: host.shape, elementByteCount: host.elementType.byteCount, from: memory.address(host),
            sourceStrides: host.strides, to: staging + stagingOffset, destinationStrides: denseStrides)
    }

    func unstage(_ memory: RunMemory, _ staging: UnsafeMutableRawPointer) {
        copyStrided(
            shape: host.shape, elementByteCount: host.elementType.byteCount, from: staging + stagingOffset,
            sourceStrides: denseStrides, to: memory.mutableAddress(host), destinationStrides: host.strides)
    }
}
