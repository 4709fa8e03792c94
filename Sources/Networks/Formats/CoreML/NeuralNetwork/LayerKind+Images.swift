import Graphs

/// Layers with weights or windows that move over images.
extension LayerKind {
    static let imageKinds = [
        LayerKind(.convolution, convolution),
        LayerKind(.pooling, pooling),
        LayerKind(.activation, activation),
        LayerKind(.innerProduct, innerProduct),
        LayerKind(.embedding, embedding),
        LayerKind(.batchnorm, batchNormalization),
        LayerKind(.mvn, meanVarianceNormalization),
        LayerKind(.l2normalize, l2Normalization),
        LayerKind(.softmax, softmax),
        LayerKind(.lrn, localResponseNormalization),
        LayerKind(.crop, crop),
        LayerKind(.padding, padding),
        LayerKind(.upsample, upsample),
        LayerKind(.resizeBilinear, resizeBilinear),
        LayerKind(.cropResize, cropResize),
    ]
}
