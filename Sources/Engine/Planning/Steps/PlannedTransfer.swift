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
    /// The ranges of bytes that are staged and uploaded one after another, so that the device copies one while the next
    /// is staged. A value with other strides in the processor's memory is one piece.
    let pieces: [Range<Int>]
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
        let byteCount = host.elementCount * host.elementType.byteCount
        self.byteCount = byteCount
        let unit = isRowMajor(host.shape, host.strides) ? Self.pieceByteCount : max(byteCount, 1)
        pieces = stride(from: 0, to: byteCount, by: unit).map { $0..<min($0 + unit, byteCount) }
    }

    /// The maximum bytes that are staged before the device begins to copy them.
    private static let pieceByteCount = 4 << 20

    /// Copies one of the ``pieces`` from the processor's memory to the staging memory.
    func stage(
        _ piece: Range<Int>, _ memory: ExecutionMemory, _ staging: UnsafeMutableRawPointer, on workers: any Workers
    ) {
        let (source, destination) = (memory.address(host), staging + stagingOffset)
        let copy =
            piece.count < byteCount
            ? OutputCopy(
                shape: [piece.count], elementByteCount: 1, source: source + piece.lowerBound, sourceStrides: [1],
                destination: destination + piece.lowerBound, destinationStrides: [1])
            : OutputCopy(
                shape: host.shape, elementByteCount: host.elementType.byteCount, source: source,
                sourceStrides: host.strides, destination: destination, destinationStrides: denseStrides)
        copy.run(on: workers)
    }

    /// Copies the value from the staging memory to the processor's memory.
    func unstage(_ memory: ExecutionMemory, _ staging: UnsafeMutableRawPointer, on workers: any Workers) {
        OutputCopy(
            shape: host.shape, elementByteCount: host.elementType.byteCount, source: staging + stagingOffset,
            sourceStrides: denseStrides, destination: memory.mutableAddress(host), destinationStrides: host.strides
        ).run(on: workers)
    }
}
