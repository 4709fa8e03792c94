extension GraphBuilder.Value {
    /// DenseNet's block: layers of a pointwise and a 3×3 convolution, each of which reads the input and the results of
    /// all layers before it: `[N, C, H, W]` → `[N, C + layers · growth, H, W]`.
    ///
    /// Blocks: `layer1`, `layer2`, …, in which normalisation and ReLU precede each convolution.
    /// Reference: Huang et al., 2016, https://arxiv.org/abs/1608.06993
    ///
    /// - Parameters:
    ///   - growth: The number of channels that each layer adds.
    ///   - layers: The number of layers.
    public func dense(_ growth: Int, layers: Int) -> Self {
        block("dense") { input in
            let (inner, overflow) = growth.multipliedReportingOverflow(by: 4)
            var features = [input]
            for number in 0..<max(layers, 0) {
                let joined = number == 0 ? input : builder.concat(features)
                features.append(
                    joined.block("layer") {
                        $0.batchNormalization().relu().convolution(overflow ? -1 : inner, kernel: 1, bias: false)
                            .batchNormalization().relu()
                            .convolution(growth, kernel: 3, padding: .explicit(1), bias: false)
                    })
            }
            return builder.concat(features)
        }
    }
}
