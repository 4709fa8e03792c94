import Planning

/// The lowerings of a device; where two expect the same time the earlier is chosen.
enum OpenCLLowerings {
    static func all(_ device: DeviceInformation) -> [any Lowering] {
        let speed = OpenCLSpeed(device)
        return [
            ViewLowering(),
            ConcatLowering(speed: speed),
            SplitLowering(speed: speed),
            CopyLowering(speed: speed),
        ]
    }
}
