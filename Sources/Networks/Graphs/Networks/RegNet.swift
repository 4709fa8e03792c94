extension Networks {
    /// RegNetY-1.6GF: residual blocks with convolutions in groups of 24 channels and excitation of the channels.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 11,202,430 weights for 1000 classes.
    /// Reference: Radosavovic et al., 2020, https://arxiv.org/abs/2003.13678
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images.
    /// - Throws: ``GraphError`` when a number is below 1.
    public static func regNetY1_6GF(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        let stages: [(channels: Int, depth: Int)] = [(48, 2), (120, 6), (336, 17), (888, 2)]
        return try Graph.build("regnet_y_1_6gf") { net in
            var features = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
                .normalizedConvolution(32, kernel: 3, stride: 2, padding: .explicit(1)).named("conv1").relu()
            for (number, stage) in stages.enumerated() {
                for position in 0..<stage.depth {
                    let squeezed = (features.channels ?? 4) / 4
                    features = features.bottleneckResidual(
                        stage.channels, inner: stage.channels, groups: stage.channels / 24,
                        stride: position == 0 ? 2 : 1
                    ) { $0.squeezeExcitation(squeezed) }
                    .named("stage\(number + 1)_block\(position + 1)")
                }
            }
            net.output("prob", features.globalAveragePool().flatten().linear(classes).named("fc").softmax(axis: 1))
        }
    }
}
