extension Networks {
    /// DeepLab v3 on MobileNet v3 Large: a segmentation of every pixel, without the auxiliary classifier that only
    /// training uses.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `scores` `[N, classes, extent, extent]`, before their softmax;
    /// 11,025,477 weights for 21 classes.
    /// References: Chen et al., 2017, https://arxiv.org/abs/1706.05587;
    /// https://pytorch.org/vision/stable/models/deeplabv3.html
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when a number is below 1.
    public static func deepLabV3MobileNetV3Large(classes: Int = 21, extent: Int = 520) throws(GraphError) -> Graph {
        try Graph.build("deeplab_v3_mobilenet_v3_large") { net in
            let image = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
            let features = image.block("backbone") { $0.mobileNetV3LargeFeatures(isDilated: true) }.named("backbone")
                .pyramidPooling(256, rates: [12, 24, 36]).named("pyramid")
            let scores = features.normalizedConvolution(256, kernel: 3, padding: .explicit(1)).named("conv").relu()
                .convolution(classes, kernel: 1).named("head")
            net.output("scores", scores.resize(height: extent, width: extent))
        }
    }
}
