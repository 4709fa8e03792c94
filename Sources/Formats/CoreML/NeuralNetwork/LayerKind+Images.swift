import Graphs

/// Layers whose weights or windows move over images.
extension LayerKind {
    static let imageKinds = [
        LayerKind(100, "convolution", convolution),
        LayerKind(120, "pooling", pooling),
        LayerKind(130, "activation", activation),
        LayerKind(140, "innerProduct", innerProduct),
        LayerKind(150, "embedding", embedding),
        LayerKind(160, "batchnorm", batchNormalization),
        LayerKind(165, "mvn", meanVarianceNormalization),
        LayerKind(170, "l2normalize", l2Normalization),
        LayerKind(175, "softmax", softmax),
        LayerKind(180, "lrn", localResponseNormalization),
        LayerKind(190, "crop", crop),
        LayerKind(200, "padding", padding),
        LayerKind(210, "upsample", upsample),
        LayerKind(211, "resizeBilinear", resizeBilinear),
        LayerKind(212, "cropResize", cropResize),
    ]
}
