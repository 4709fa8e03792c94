extension Networks {
    /// MobileNet v3 Large: inverted residuals, some with excitation of the channels and hard-swish.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 5,483,032 weights for 1000 classes.
    /// Reference: Howard et al., 2019, https://arxiv.org/abs/1905.02244
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when a number is below 1.
    public static func mobileNetV3Large(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try Graph.build("mobilenet_v3_large") { net in
            let image = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
            let scores = image.mobileNetV3LargeFeatures().globalAveragePool().flatten()
                .linear(1280).named("fc1").hardSwish().linear(classes).named("fc2")
            net.output("prob", scores.softmax(axis: 1))
        }
    }
}

extension GraphBuilder.Value {
    /// The convolutions of MobileNet v3 Large: `[N, 3, H, W]` → `[N, 960, H/32, W/32]`.
    ///
    /// - Parameter isDilated: Whether the last stage has dilated kernels instead of a stride, as for segmentation; the
    ///   result then has H/16 rows and W/16 columns.
    func mobileNetV3LargeFeatures(isDilated: Bool = false) -> Self {
        let epsilon: Float = 1e-3
        let blocks: [(kernel: Int, expanded: Int, channels: Int, squeezed: Int?, isHard: Bool, stride: Int)] = [
            (3, 16, 16, nil, false, 1), (3, 64, 24, nil, false, 2), (3, 72, 24, nil, false, 1),
            (5, 72, 40, 24, false, 2), (5, 120, 40, 32, false, 1), (5, 120, 40, 32, false, 1),
            (3, 240, 80, nil, true, 2), (3, 200, 80, nil, true, 1), (3, 184, 80, nil, true, 1),
            (3, 184, 80, nil, true, 1), (3, 480, 112, 120, true, 1), (3, 672, 112, 168, true, 1),
            (5, 672, 160, 168, true, 2), (5, 960, 160, 240, true, 1), (5, 960, 160, 240, true, 1),
        ]
        var features = normalizedConvolution(16, kernel: 3, stride: 2, padding: .explicit(1), epsilon: epsilon)
            .named("conv1").hardSwish()
        for (number, block) in blocks.enumerated() {
            let isWidened = isDilated && number >= 12
            features = features.invertedResidual(
                block.channels, expanded: block.expanded, kernel: block.kernel, stride: isWidened ? 1 : block.stride,
                dilation: isWidened ? 2 : 1, epsilon: epsilon,
                activation: { block.isHard ? $0.hardSwish() : $0.relu() },
                excitation: { features in
                    block.squeezed.map { features.squeezeExcitation($0, gate: { $0.hardSigmoid() }) } ?? features
                }
            ).named("block\(number + 1)")
        }
        return features.normalizedConvolution(960, kernel: 1, epsilon: epsilon).named("conv2").hardSwish()
    }
}
