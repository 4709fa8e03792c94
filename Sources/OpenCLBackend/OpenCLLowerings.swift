import Planning

/// The lowerings of a device; where two expect the same time the earlier is chosen.
enum OpenCLLowerings {
    /// - Parameter precision: How products may be rounded; on tensor cores where the device has them.
    static func all(_ device: DeviceInformation, _ precision: MatrixPrecision = .float32) -> [any Lowering] {
        let speed = OpenCLSpeed(device)
        let onTensorCores: [any Lowering] =
            precision.isOnTensorCores
            ? [
                ImplicitGEMMLowering(device, precision, isPointwise: true),
                ImplicitGEMMLowering(device, precision, isPointwise: false),
                WeightedProductLowering(device, precision),
            ] : []
        return onTensorCores + WinogradConvolutionLowering.all(device) + [
            ViewLowering(),
            DepthwiseConvolutionLowering(speed: speed),
            ImplicitGEMMLowering(device, isPointwise: true),
            ImplicitGEMMLowering(device, isPointwise: false),
            WeightedProductLowering(device),
            MatrixProductLowering(device: device, speed: speed),
            PoolLowering(speed: speed),
            GlobalPoolLowering(device: device, speed: speed),
            BatchNormalizationLowering(speed: speed),
            LocalResponseNormalizationLowering(speed: speed),
            ElementwiseLowering(speed: speed),
            SoftmaxLowering(device: device, speed: speed),
            RowNormalizationLowering(device: device, speed: speed),
            AttentionLowering(device: device, speed: speed),
            ReductionLowering(device: device, speed: speed),
            ResizeLowering(speed: speed),
            ConcatLowering(device: device, speed: speed),
            SplitLowering(device: device, speed: speed),
            CopyLowering(device: device, speed: speed),
        ]
    }
}
