extension Networks {
    /// U-Net with padded convolutions and batch normalisation: a segmentation of every pixel.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `scores` `[N, classes, extent, extent]`, before their softmax;
    /// 31,037,698 weights for 2 classes.
    /// References: Ronneberger et al., 2015, https://arxiv.org/abs/1505.04597;
    /// https://github.com/milesial/Pytorch-UNet
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images, a multiple of 16.
    /// - Throws: ``GraphError`` when a number is below 1, or the extents of the scales do not fit together.
    public static func uNet(classes: Int = 2, extent: Int = 256) throws(GraphError) -> Graph {
        try Graph.build("unet") { net in
            let image = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
            var features = image.doubleConvolution(64).named("down1")
            var scales: [GraphBuilder.Value] = []
            for (number, channels) in [128, 256, 512, 1024].enumerated() {
                scales.append(features)
                features = features.maxPool(2, stride: 2).doubleConvolution(channels).named("down\(number + 2)")
            }
            for (number, channels) in [512, 256, 128, 64].enumerated() {
                features = scales[3 - number].concat(
                    with: features.transposedConvolution(channels, kernel: 2, stride: 2).named("enlarge\(number + 1)")
                ).doubleConvolution(channels).named("up\(number + 1)")
            }
            net.output("scores", features.convolution(classes, kernel: 1).named("head"))
        }
    }
}

extension GraphBuilder.Value {
    /// Two 3×3 convolutions, each with batch normalisation and a ReLU.
    fileprivate func doubleConvolution(_ channels: Int) -> Self {
        block("doubleConvolution") {
            $0.normalizedConvolution(channels, kernel: 3, padding: .explicit(1)).named("conv1").relu()
                .normalizedConvolution(channels, kernel: 3, padding: .explicit(1)).named("conv2").relu()
        }
    }
}
