/// Which layers of a network run on the device.
package enum DeviceUse: Sendable {
    /// Those whose running there is expected to give the shortest time of the whole, copies counted.
    case cheapest
    /// All that the device has a kernel for, except views, concatenations and splits between layers of the processor.
    case wherePossible
    /// Those that a function of the node's position says, where the device has a kernel for them.
    case chosen(@Sendable (_ node: Int) -> Bool)
}
