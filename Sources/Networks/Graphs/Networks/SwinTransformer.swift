extension Networks {
    /// Swin-T: a transformer whose tokens attend to those of the same window of 7 × 7, which every other layer shifts.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 28,288,354 weights for 1000 classes.
    /// Reference: Liu et al., 2021, https://arxiv.org/abs/2103.14030
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images, a multiple of 224.
    /// - Throws: ``GraphError`` when `extent` is no multiple of 224, or `classes` below 1.
    public static func swinT(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        let stages: [(depth: Int, heads: Int)] = [(2, 3), (2, 6), (6, 12), (2, 24)]
        return try Graph.build("swin_t") { net in
            var features = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
                .convolution(96, kernel: 4, stride: 4).named("patches").transpose([0, 2, 3, 1])
                .layerNormalization().named("patches_norm")
            for (number, stage) in stages.enumerated() {
                if number > 0 { features = features.mergedPatches().named("merge\(number)") }
                // An image of one window is not shifted.
                let side = (extent / 4) >> number
                for position in 0..<stage.depth {
                    features = features.windowEncoder(
                        heads: stage.heads, window: 7, shift: position % 2 == 1 && side > 7 ? 3 : 0
                    ).named("stage\(number + 1)_block\(position + 1)")
                }
            }
            let scores = features.layerNormalization().named("norm").transpose([0, 3, 1, 2])
                .globalAveragePool().flatten().linear(classes).named("head")
            net.output("prob", scores.softmax(axis: 1))
        }
    }
}
