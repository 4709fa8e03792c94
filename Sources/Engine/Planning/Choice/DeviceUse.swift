/// Which layers of a network run on the device.
package enum DeviceUse: Sendable {
    /// The layers that give the whole network the shortest expected time, copies included.
    case cheapest
    /// All layers that the device has a kernel for, except views, concatenations and splits between layers of the
    /// processor.
    case wherePossible
    /// The nodes for whose positions the function returns true, where the device has a kernel for them.
    case chosen(@Sendable (_ node: Int) -> Bool)
}
