extension Networks {
    /// MobileNet v1 of width 1, made of ``GraphBuilder/Value/separableConvolution(_:kernel:stride:padding:)`` blocks.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 4,231,976 weights for 1000 classes.
    /// Reference: Howard et al., 2017, https://arxiv.org/abs/1704.04861
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when a number is below 1.
    public static func mobileNetV1(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        let blocks: [(channels: Int, stride: Int)] = [
            (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (512, 1), (512, 1), (512, 1),
            (1024, 2), (1024, 1),
        ]
        return try Graph.build("mobilenet_v1") { net in
            var features = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
                .normalizedConvolution(32, kernel: 3, stride: 2, padding: .same).named("conv1").relu6()
            for (position, block) in blocks.enumerated() {
                features = features.separableConvolution(block.channels, stride: block.stride)
                    .named("block\(position + 1)")
            }
            net.output("prob", features.globalAveragePool().flatten().linear(classes).named("fc").softmax(axis: 1))
        }
    }

    /// MobileNet v2 of width 1, made of ``GraphBuilder/Value/invertedResidual(_:expansion:kernel:stride:padding:)``
    /// blocks.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 3,504,872 weights for 1000 classes.
    /// Reference: Sandler et al., 2018, https://arxiv.org/abs/1801.04381
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when a number is below 1.
    public static func mobileNetV2(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        let stages: [(expansion: Int, channels: Int, depth: Int, stride: Int)] = [
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
        ]
        return try Graph.build("mobilenet_v2") { net in
            var features = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
                .normalizedConvolution(32, kernel: 3, stride: 2, padding: .explicit(1)).named("conv1").relu6()
            for (number, stage) in stages.enumerated() {
                for position in 0..<stage.depth {
                    features = features.invertedResidual(
                        stage.channels, expansion: stage.expansion, stride: position == 0 ? stage.stride : 1,
                        padding: .explicit(1)
                    ).named("stage\(number + 1)_block\(position + 1)")
                }
            }
            features = features.normalizedConvolution(1280, kernel: 1).named("conv2").relu6()
            net.output("prob", features.globalAveragePool().flatten().linear(classes).named("fc").softmax(axis: 1))
        }
    }
}
