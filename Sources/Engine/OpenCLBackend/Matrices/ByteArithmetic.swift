import Planning

/// How products of 8-bit integers are computed, which a device finds out when it is first asked.
package struct ByteArithmetic: Sendable {
    /// How products of four bytes are added where no tensor core does.
    let dot: @Sendable () -> IntegerDot
    /// The tiles that are worth trying.
    let tiles: @Sendable () -> [TileShape]

    package init(dot: @escaping @Sendable () -> IntegerDot, tiles: @escaping @Sendable () -> [TileShape]) {
        (self.dot, self.tiles) = (dot, tiles)
    }

    /// The arithmetic of every device.
    package static func plain(_ device: DeviceInformation) -> ByteArithmetic {
        ByteArithmetic(dot: { .plain }, tiles: { TileShape.ofBytes(device) })
    }
}
