extension Networks {
    /// SqueezeNet 1.0: a small classifier made of ``GraphBuilder/Value/fire(squeeze:expand:)`` blocks.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 1,248,424 weights for 1000 classes.
    /// Reference: Iandola et al., 2016, https://arxiv.org/abs/1602.07360
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when `extent` is too small for the layers, or a number is below 1.
    public static func squeezeNet1_0(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try Graph.build("squeezenet1_0") { net in
            let image = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
            let features =
                image
                .convolution(96, kernel: 7, stride: 2).named("conv1").relu()
                .maxPool(3, stride: 2, ceilMode: true).named("pool1")
                .fire(squeeze: 16, expand: 64).named("fire2")
                .fire(squeeze: 16, expand: 64).named("fire3")
                .fire(squeeze: 32, expand: 128).named("fire4")
                .maxPool(3, stride: 2, ceilMode: true).named("pool4")
                .fire(squeeze: 32, expand: 128).named("fire5")
                .fire(squeeze: 48, expand: 192).named("fire6")
                .fire(squeeze: 48, expand: 192).named("fire7")
                .fire(squeeze: 64, expand: 256).named("fire8")
                .maxPool(3, stride: 2, ceilMode: true).named("pool8")
                .fire(squeeze: 64, expand: 256).named("fire9")
                .convolution(classes, kernel: 1).named("conv10")
            net.output("prob", features.globalAveragePool().flatten().softmax(axis: 1))
        }
    }

    /// SqueezeNet 1.1: as accurate as SqueezeNet 1.0 with less than half the work.
    ///
    ///     let network = try Networks.squeezeNet1_1().loadingWeights(from: trained, matching: .order)
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 1,235,496 weights for 1000 classes.
    /// Reference: https://github.com/forresti/SqueezeNet
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when `extent` is too small for the layers, or a number is below 1.
    public static func squeezeNet1_1(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try Graph.build("squeezenet1_1") { net in
            let image = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
            let features =
                image
                .convolution(64, kernel: 3, stride: 2, padding: .explicit(1)).named("conv1").relu()
                .maxPool(3, stride: 2).named("pool1")
                .fire(squeeze: 16, expand: 64).named("fire2")
                .fire(squeeze: 16, expand: 64).named("fire3")
                .maxPool(3, stride: 2).named("pool3")
                .fire(squeeze: 32, expand: 128).named("fire4")
                .fire(squeeze: 32, expand: 128).named("fire5")
                .maxPool(3, stride: 2).named("pool5")
                .fire(squeeze: 48, expand: 192).named("fire6")
                .fire(squeeze: 48, expand: 192).named("fire7")
                .fire(squeeze: 64, expand: 256).named("fire8")
                .fire(squeeze: 64, expand: 256).named("fire9")
                .convolution(classes, kernel: 1).named("conv10")
            net.output("prob", features.globalAveragePool().flatten().softmax(axis: 1))
        }
    }
}
