extension Networks {
    /// ResNet-18, of ``GraphBuilder/Value/basicResidual(_:stride:)`` blocks.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 11,689,512 weights for 1000 classes.
    /// Reference: He et al., 2015, https://arxiv.org/abs/1512.03385
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when a number is below 1.
    public static func resNet18(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try resNet("resnet18", depths: [2, 2, 2, 2], classes: classes, extent: extent) { input, channels, stride in
            input.basicResidual(channels, stride: stride)
        }
    }

    /// ResNet-34, of ``GraphBuilder/Value/basicResidual(_:stride:)`` blocks; 21,797,672 weights for 1000 classes.
    ///
    /// Inputs, outputs, parameters and errors are those of ``resNet18(classes:extent:)``.
    public static func resNet34(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try resNet("resnet34", depths: [3, 4, 6, 3], classes: classes, extent: extent) { input, channels, stride in
            input.basicResidual(channels, stride: stride)
        }
    }

    /// ResNet-50, version 1.5, of ``GraphBuilder/Value/bottleneckResidual(_:stride:)`` blocks; 25,557,032 weights for
    /// 1000 classes.
    ///
    /// Inputs, outputs, parameters and errors are those of ``resNet18(classes:extent:)``.
    public static func resNet50(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try resNet("resnet50", depths: [3, 4, 6, 3], classes: classes, extent: extent) { input, channels, stride in
            input.bottleneckResidual(channels, stride: stride)
        }
    }

    /// ResNet-101, version 1.5, of ``GraphBuilder/Value/bottleneckResidual(_:stride:)`` blocks; 44,549,160 weights for
    /// 1000 classes.
    ///
    /// Inputs, outputs, parameters and errors are those of ``resNet18(classes:extent:)``.
    public static func resNet101(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try resNet("resnet101", depths: [3, 4, 23, 3], classes: classes, extent: extent) { input, channels, stride in
            input.bottleneckResidual(channels, stride: stride)
        }
    }

    /// ResNeXt-50 32x4d: ResNet-50 with 3×3 convolutions of twice the channels in 32 groups; 25,028,904 weights for
    /// 1000 classes.
    ///
    /// Inputs, outputs, parameters and errors are those of ``resNet18(classes:extent:)``.
    /// Reference: Xie et al., 2016, https://arxiv.org/abs/1611.05431
    public static func resNeXt50_32x4d(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try resNet(
            "resnext50_32x4d", depths: [3, 4, 6, 3], classes: classes, extent: extent
        ) { input, channels, stride in
            input.bottleneckResidual(4 * channels, inner: 2 * channels, groups: 32, stride: stride)
        }
    }

    /// - Parameters:
    ///   - depths: The number of blocks in each stage. A stage has twice the channels and half the extents of the one
    ///     before.
    ///   - block: Adds a block to a value, given its channels and stride.
    private static func resNet(
        _ name: String, depths: [Int], classes: Int, extent: Int,
        block: (GraphBuilder.Value, Int, Int) -> GraphBuilder.Value
    ) throws(GraphError) -> Graph {
        try Graph.build(name) { net in
            var features = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
                .normalizedConvolution(64, kernel: 7, stride: 2, padding: .explicit(3)).named("conv1").relu()
                .maxPool(3, stride: 2, padding: .explicit(1)).named("pool1")
            for (stage, depth) in depths.enumerated() {
                for position in 0..<depth {
                    let stride = stage > 0 && position == 0 ? 2 : 1
                    features = block(features, 64 << stage, stride).named("stage\(stage + 1)_block\(position + 1)")
                }
            }
            net.output("prob", features.globalAveragePool().flatten().linear(classes).named("fc").softmax(axis: 1))
        }
    }
}
