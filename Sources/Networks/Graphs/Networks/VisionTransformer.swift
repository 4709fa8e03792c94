extension Networks {
    /// ViT-Ti/16, the smallest vision transformer, of DeiT; 5,717,416 weights for 1000 classes and images of 224 × 224.
    ///
    /// Inputs, outputs, parameters and errors are those of ``vitB16(classes:extent:)``.
    /// Reference: Touvron et al., 2020, https://arxiv.org/abs/2012.12877
    public static func vitTi16(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try visionTransformer("vit_ti_16", features: 192, heads: 3, classes: classes, extent: extent)
    }

    /// ViT-S/16, a small vision transformer, of DeiT; 22,050,664 weights for 1000 classes and images of 224 × 224.
    ///
    /// Inputs, outputs, parameters and errors are those of ``vitB16(classes:extent:)``.
    /// Reference: Touvron et al., 2020, https://arxiv.org/abs/2012.12877
    public static func vitS16(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try visionTransformer("vit_s_16", features: 384, heads: 6, classes: classes, extent: extent)
    }

    /// ViT-B/16: a transformer of ``GraphBuilder/Value/transformerEncoder(heads:hidden:epsilon:)`` layers on patches of
    /// 16 × 16 pixels.
    ///
    /// Input `data` `[N, 3, extent, extent]`, output `prob` `[N, classes]`; 86,567,656 weights for 1000 classes and
    /// images of 224 × 224.
    /// Reference: Dosovitskiy et al., 2020, https://arxiv.org/abs/2010.11929
    ///
    /// - Parameters:
    ///   - classes: The number of classes.
    ///   - extent: The height and width of the images, a multiple of 16, on which the number of weights depends.
    /// - Throws: ``GraphError`` when `extent` is below 16, or `classes` below 1.
    public static func vitB16(classes: Int = 1000, extent: Int = 224) throws(GraphError) -> Graph {
        try visionTransformer("vit_b_16", features: 768, heads: 12, classes: classes, extent: extent)
    }

    private static func visionTransformer(
        _ name: String, features: Int, heads: Int, classes: Int, extent: Int
    ) throws(GraphError) -> Graph {
        try Graph.build(name) { net in
            let image = net.input("data", .float32, [.batch, 3, .fixed(extent), .fixed(extent)])
            let patches = image.convolution(features, kernel: 16, stride: 16).named("patches")
                .reshape([0, features, -1]).transpose([0, 2, 1])
            let token = net.weight("class_token", [1, 1, features]).repeated(forImagesOf: image)
            let count = (extent / 16) * (extent / 16) + 1
            var tokens = token.concat(with: patches, axis: 1).added(to: net.weight("positions", [1, count, features]))
            for number in 1...12 {
                tokens = tokens.transformerEncoder(heads: heads, hidden: 4 * features).named("encoder\(number)")
            }
            let scores = tokens.layerNormalization(epsilon: 1e-6).named("norm").select(0, axis: 1)
                .linear(classes).named("head")
            net.output("prob", scores.softmax(axis: 1))
        }
    }
}
