extension Networks {
    /// EfficientNet-B0: inverted residuals with excitation of the channels.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 5,288,548 weights for 1000 classes.
    /// Reference: Tan and Le, 2019, https://arxiv.org/abs/1905.11946
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when a number is below 1.
    public static func efficientNetB0(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        let stages: [EfficientNetStage] = [
            .init(1, kernel: 3, stride: 1, 16, depth: 1), .init(6, kernel: 3, stride: 2, 24, depth: 2),
            .init(6, kernel: 5, stride: 2, 40, depth: 2), .init(6, kernel: 3, stride: 2, 80, depth: 3),
            .init(6, kernel: 5, stride: 1, 112, depth: 3), .init(6, kernel: 5, stride: 2, 192, depth: 4),
            .init(6, kernel: 3, stride: 1, 320, depth: 1),
        ]
        return try efficientNet(
            "efficientnet_b0", stages, stem: 32, epsilon: 1e-5, classes: classes, extent: extent)
    }

    /// EfficientNet v2-S, whose first stages have one 3×3 convolution in place of a pointwise and a depthwise one.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 21,458,488 weights for 1000 classes.
    /// Reference: Tan and Le, 2021, https://arxiv.org/abs/2104.00298
    ///
    /// Parameters and errors are those of ``efficientNetB0(classes:extent:)``.
    public static func efficientNetV2S(classes: Int = 1000, extent: Int = 384) throws(GraphError) -> Graph {
        let stages: [EfficientNetStage] = [
            .init(1, kernel: 3, stride: 1, 24, depth: 2, isFused: true),
            .init(4, kernel: 3, stride: 2, 48, depth: 4, isFused: true),
            .init(4, kernel: 3, stride: 2, 64, depth: 4, isFused: true),
            .init(4, kernel: 3, stride: 2, 128, depth: 6), .init(6, kernel: 3, stride: 1, 160, depth: 9),
            .init(6, kernel: 3, stride: 2, 256, depth: 15),
        ]
        return try efficientNet(
            "efficientnet_v2_s", stages, stem: 24, epsilon: 1e-3, classes: classes, extent: extent)
    }

    private struct EfficientNetStage {
        let expansion: Int
        let kernel: Int
        /// The stride of the first block.
        let stride: Int
        let channels: Int
        /// The number of blocks.
        let depth: Int
        let isFused: Bool

        init(_ expansion: Int, kernel: Int, stride: Int, _ channels: Int, depth: Int, isFused: Bool = false) {
            self.expansion = expansion
            self.kernel = kernel
            self.stride = stride
            self.channels = channels
            self.depth = depth
            self.isFused = isFused
        }
    }

    private static func efficientNet(
        _ name: String, _ stages: [EfficientNetStage], stem: Int, epsilon: Float, classes: Int, extent: Int
    ) throws(GraphError) -> Graph {
        try Graph.build(name) { net in
            var features = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
                .normalizedConvolution(stem, kernel: 3, stride: 2, padding: .explicit(1), epsilon: epsilon)
                .named("conv1").silu()
            var channels = stem
            for (number, stage) in stages.enumerated() {
                for position in 0..<stage.depth {
                    let stride = position == 0 ? stage.stride : 1
                    let squeezed = max(1, channels / 4)
                    let block =
                        stage.isFused
                        ? features.fusedInvertedResidual(
                            stage.channels, expansion: stage.expansion, stride: stride, epsilon: epsilon)
                        : features.invertedResidual(
                            stage.channels, expanded: channels * stage.expansion, kernel: stage.kernel, stride: stride,
                            epsilon: epsilon, activation: { $0.silu() },
                            excitation: { $0.squeezeExcitation(squeezed, activation: { $0.silu() }) })
                    features = block.named("stage\(number + 1)_block\(position + 1)")
                    channels = stage.channels
                }
            }
            features = features.normalizedConvolution(1280, kernel: 1, epsilon: epsilon).named("conv2").silu()
            net.output("prob", features.globalAveragePool().flatten().linear(classes).named("fc").softmax(axis: 1))
        }
    }
}
