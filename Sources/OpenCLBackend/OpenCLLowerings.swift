import Planning

/// The lowerings of a device; where two expect the same time the earlier is chosen.
enum OpenCLLowerings {
    static func all(_ device: DeviceInformation) -> [any Lowering] {
        let speed = OpenCLSpeed(device)
        return WinogradConvolutionLowering.all(device) + [
            ViewLowering(),
            DepthwiseConvolutionLowering(speed: speed),
            ImplicitGEMMLowering(device, isPointwise: true),
            ImplicitGEMMLowering(device, isPointwise: false),
            WeightedProductLowering(device: device, speed: speed),
            MatrixProductLowering(device: device, speed: speed),
            PoolLowering(speed: speed),
            GlobalPoolLowering(device: device, speed: speed),
            BatchNormalizationLowering(speed: speed),
            LocalResponseNormalizationLowering(speed: speed),
            ElementwiseLowering(speed: speed),
            SoftmaxLowering(device: device, speed: speed),
            ReductionLowering(device: device, speed: speed),
            ResizeLowering(speed: speed),
            ConcatLowering(device: device, speed: speed),
            SplitLowering(device: device, speed: speed),
            CopyLowering(device: device, speed: speed),
        ]
    }
}
