extension Networks {
    /// DenseNet-121: layers that read the results of all layers before them in the same block.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 7,978,856 weights for 1000 classes.
    /// Reference: Huang et al., 2016, https://arxiv.org/abs/1608.06993
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when `extent` is below 32, or `classes` below 1.
    public static func denseNet121(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try Graph.build("densenet121") { net in
            var features = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
                .normalizedConvolution(64, kernel: 7, stride: 2, padding: .explicit(3)).named("conv1").relu()
                .maxPool(3, stride: 2, padding: .explicit(1)).named("pool1")
            for (number, depth) in [6, 12, 24, 16].enumerated() {
                if number > 0 {
                    let channels = (features.channels ?? 2) / 2
                    features = features.batchNormalization().named("norm\(number)").relu()
                        .convolution(channels, kernel: 1, bias: false).named("transition\(number)")
                        .averagePool(2, stride: 2)
                }
                features = features.dense(32, layers: depth).named("block\(number + 1)")
            }
            features = features.batchNormalization().named("norm4").relu()
            net.output("prob", features.globalAveragePool().flatten().linear(classes).named("fc").softmax(axis: 1))
        }
    }
}
