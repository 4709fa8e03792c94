extension Networks {
    /// Inception v1, also called GoogLeNet, without the auxiliary classifiers that only training uses.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 6,998,552 weights for 1000 classes.
    /// References: Szegedy et al., 2014, https://arxiv.org/abs/1409.4842;
    /// https://github.com/BVLC/caffe/tree/master/models/bvlc_googlenet
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when a number is below 1.
    public static func inceptionV1(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try Graph.build("inception_v1") { net in
            let image = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
            let stem =
                image
                .convolution(64, kernel: 7, stride: 2, padding: .explicit(3)).named("conv1").relu()
                .maxPool(3, stride: 2, ceilMode: true).named("pool1")
                .localResponseNormalization().named("norm1")
                .convolution(64, kernel: 1).named("conv2_reduce").relu()
                .convolution(192, kernel: 3, padding: .explicit(1)).named("conv2").relu()
                .localResponseNormalization().named("norm2")
                .maxPool(3, stride: 2, ceilMode: true).named("pool2")
            let features =
                stem
                .inception(pointwise: 64, reduce3x3: 96, wide3x3: 128, reduce5x5: 16, wide5x5: 32, pooled: 32)
                .named("inception_3a")
                .inception(pointwise: 128, reduce3x3: 128, wide3x3: 192, reduce5x5: 32, wide5x5: 96, pooled: 64)
                .named("inception_3b")
                .maxPool(3, stride: 2, ceilMode: true).named("pool3")
                .inception(pointwise: 192, reduce3x3: 96, wide3x3: 208, reduce5x5: 16, wide5x5: 48, pooled: 64)
                .named("inception_4a")
                .inception(pointwise: 160, reduce3x3: 112, wide3x3: 224, reduce5x5: 24, wide5x5: 64, pooled: 64)
                .named("inception_4b")
                .inception(pointwise: 128, reduce3x3: 128, wide3x3: 256, reduce5x5: 24, wide5x5: 64, pooled: 64)
                .named("inception_4c")
                .inception(pointwise: 112, reduce3x3: 144, wide3x3: 288, reduce5x5: 32, wide5x5: 64, pooled: 64)
                .named("inception_4d")
                .inception(pointwise: 256, reduce3x3: 160, wide3x3: 320, reduce5x5: 32, wide5x5: 128, pooled: 128)
                .named("inception_4e")
                .maxPool(3, stride: 2, ceilMode: true).named("pool4")
                .inception(pointwise: 256, reduce3x3: 160, wide3x3: 320, reduce5x5: 32, wide5x5: 128, pooled: 128)
                .named("inception_5a")
                .inception(pointwise: 384, reduce3x3: 192, wide3x3: 384, reduce5x5: 48, wide5x5: 128, pooled: 128)
                .named("inception_5b")
            net.output("prob", features.globalAveragePool().flatten().linear(classes).named("fc").softmax(axis: 1))
        }
    }

    /// Inception v3, without the auxiliary classifier that only training uses.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 23,834,568 weights for 1000 classes.
    /// References: Szegedy et al., 2015, https://arxiv.org/abs/1512.00567;
    /// https://pytorch.org/vision/stable/models/generated/torchvision.models.inception_v3.html
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when `extent` is too small for the layers, or a number is below 1.
    public static func inceptionV3(classes: Int = 1000, extent: Int = 299) throws(GraphError) -> Graph {
        try Graph.build("inception_v3") { net in
            let image = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
            let stem =
                image
                .inceptionConvolution(32, kernel: 3, stride: 2).named("conv1a")
                .inceptionConvolution(32, kernel: 3).named("conv2a")
                .inceptionConvolution(64, kernel: 3, padding: .explicit(1)).named("conv2b")
                .maxPool(3, stride: 2).named("pool1")
                .inceptionConvolution(80, kernel: 1).named("conv3b")
                .inceptionConvolution(192, kernel: 3).named("conv4a")
                .maxPool(3, stride: 2).named("pool2")
            let features =
                stem
                .inceptionA(pooled: 32).named("mixed_5b")
                .inceptionA(pooled: 64).named("mixed_5c")
                .inceptionA(pooled: 64).named("mixed_5d")
                .inceptionB().named("mixed_6a")
                .inceptionC(reduced: 128).named("mixed_6b")
                .inceptionC(reduced: 160).named("mixed_6c")
                .inceptionC(reduced: 160).named("mixed_6d")
                .inceptionC(reduced: 192).named("mixed_6e")
                .inceptionD().named("mixed_7a")
                .inceptionE().named("mixed_7b")
                .inceptionE().named("mixed_7c")
            net.output("prob", features.globalAveragePool().flatten().linear(classes).named("fc").softmax(axis: 1))
        }
    }
}
