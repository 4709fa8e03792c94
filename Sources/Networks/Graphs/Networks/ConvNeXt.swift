extension Networks {
    /// ConvNeXt-T: depthwise 7×7 convolutions and perceptrons on each pixel.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 28,589,128 weights for 1000 classes.
    /// Reference: Liu et al., 2022, https://arxiv.org/abs/2201.03545
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when `extent` is below 32, or `classes` below 1.
    public static func convNeXtTiny(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        let stages: [(channels: Int, depth: Int)] = [(96, 3), (192, 3), (384, 9), (768, 3)]
        return try Graph.build("convnext_tiny") { net in
            var features = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
                .convolution(96, kernel: 4, stride: 4).named("patches").pixelNormalization().named("patches_norm")
            for (number, stage) in stages.enumerated() {
                if number > 0 {
                    features = features.pixelNormalization().named("norm\(number)")
                        .convolution(stage.channels, kernel: 2, stride: 2).named("downsampling\(number)")
                }
                for position in 1...stage.depth {
                    features = features.convNeXt().named("stage\(number + 1)_block\(position)")
                }
            }
            let scores = features.globalAveragePool().flatten().layerNormalization(epsilon: 1e-6).named("norm")
                .linear(classes).named("head")
            net.output("prob", scores.softmax(axis: 1))
        }
    }
}
