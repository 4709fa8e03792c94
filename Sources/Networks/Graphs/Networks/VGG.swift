extension Networks {
    /// VGG-16: thirteen 3×3 convolutions and three fully connected layers.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 138,357,544 weights for 1000 classes and
    /// images of 224 × 224.
    /// Reference: Simonyan, Zisserman, 2014, https://arxiv.org/abs/1409.1556
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images, on which the number of weights depends.
    /// - Throws: ``GraphError`` when `extent` is below 32, or `classes` below 1.
    public static func vgg16(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        let stages: [(channels: Int, depth: Int)] = [(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)]
        return try Graph.build("vgg16") { net in
            var features = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
            for (number, stage) in stages.enumerated() {
                for position in 1...stage.depth {
                    features = features.convolution(stage.channels, kernel: 3, padding: .explicit(1))
                        .named("conv\(number + 1)_\(position)").relu()
                }
                features = features.maxPool(2, stride: 2).named("pool\(number + 1)")
            }
            let scores = features.flatten()
                .linear(4096).named("fc6").relu()
                .linear(4096).named("fc7").relu()
                .linear(classes).named("fc8")
            net.output("prob", scores.softmax(axis: 1))
        }
    }
}
