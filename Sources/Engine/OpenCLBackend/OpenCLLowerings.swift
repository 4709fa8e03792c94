import Planning

/// The lowerings of a device; where two expect the same time, the earlier is chosen.
package enum OpenCLLowerings {
    /// - Parameters:
    ///   - precision: The rounding that products may have; they run on tensor cores where the device has them.
    ///   - tiles: The tiles of float32 products.
    ///   - bytes: How products of 8-bit integers are computed; nil for what every device can.
    package static func all(
        _ device: DeviceInformation, _ precision: MatrixPrecision, tiles: [TileShape],
        bytes: ByteArithmetic? = nil
    ) -> [any Lowering] {
        let speed = OpenCLSpeed(device)
        func products(_ tiles: [TileShape], _ precision: MatrixPrecision) -> [any Lowering] {
            [
                ImplicitGEMMLowering(device, tiles, precision, isPointwise: true),
                ImplicitGEMMLowering(device, tiles, precision, isPointwise: false),
                WeightedProductLowering(device, tiles, precision),
            ]
        }
        let onTensorCores: [any Lowering] =
            precision.isOnTensorCores
            ? products(TileShape.candidates(device, precision), precision)
                + [TiledAttentionLowering(device, precision)] : []
        let winograd: [any Lowering] = WinogradConvolutionLowering.all(device, tiles)
        let views: [any Lowering] = [ViewLowering(), DepthwiseConvolutionLowering(speed: speed)]
        let others: [any Lowering] = [
            MatrixProductLowering(speed: speed, tiles: tiles),
            WindowConvolutionLowering(speed: speed),
            PoolLowering(speed: speed),
            WindowPoolLowering(speed: speed),
            GlobalPoolLowering(device: device, speed: speed),
            BatchNormalizationLowering(speed: speed),
            LocalResponseNormalizationLowering(speed: speed),
            ElementwiseLowering(speed: speed),
            SoftmaxLowering(device: device, speed: speed),
            RowNormalizationLowering(device: device, speed: speed),
            TiledAttentionLowering(device, .float32),
            AttentionLowering(device: device, speed: speed, tiles: tiles),
            ReductionLowering(device: device, speed: speed),
            SearchLowering(device: device, speed: speed),
            ResizeLowering(speed: speed),
            RearrangementLowering(device: device, speed: speed),
            ConcatLowering(device: device, speed: speed),
            SplitLowering(device: device, speed: speed),
            CopyLowering(device: device, speed: speed),
            PadLowering(device: device, speed: speed),
        ]
        let integers: [any Lowering] = [
            IntegerDepthwiseLowering(device: device),
            IntegerConvolutionLowering(device: device, arithmetic: bytes ?? .plain(device)),
            IntegerProductLowering(device: device, arithmetic: bytes ?? .plain(device)),
            QuantizedProductLowering(device: device, arithmetic: bytes ?? .plain(device)),
            DynamicQuantizationLowering(device: device),
            NibbleProductLowering(device: device),
            IntegerElementwiseLowering(device: device),
            IntegerPoolLowering(device: device),
            IntegerMeanLowering(device: device),
            IntegerResizeLowering(device: device),
            IntegerRowsLowering(device: device),
        ]
        return onTensorCores + winograd + views + products(tiles, .float32) + others + integers
    }
}
