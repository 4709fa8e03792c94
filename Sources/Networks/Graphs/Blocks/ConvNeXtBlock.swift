extension GraphBuilder.Value {
    /// ConvNeXt's block: a depthwise 7×7 convolution, a normalisation of each pixel, a perceptron on it, and a factor
    /// for each channel, beside a shortcut: `[N, C, H, W]` → `[N, C, H, W]`.
    ///
    /// Blocks: `depthwise`, `norm`, `perceptron`; weight: `scale` `[C, 1, 1]`.
    /// Reference: Liu et al., 2022, https://arxiv.org/abs/2201.03545
    public func convNeXt() -> Self {
        block("convNeXt") { input in
            let channels = input.channels ?? 1
            let (hidden, overflow) = channels.multipliedReportingOverflow(by: 4)
            return input.depthwiseConvolution(kernel: 7, padding: .explicit(3)).named("depthwise")
                .transpose([0, 2, 3, 1]).layerNormalization(epsilon: 1e-6).named("norm")
                .tokenPerceptron(hidden: overflow ? -1 : hidden).named("perceptron").transpose([0, 3, 1, 2])
                .multiplied(by: builder.weight("scale", [channels, 1, 1])).added(to: input).named("add")
        }
    }

    /// Normalises the channels of each pixel of an image `[N, C, H, W]` by their own mean and variance.
    func pixelNormalization() -> Self {
        block("pixelNormalization") {
            $0.transpose([0, 2, 3, 1]).layerNormalization(epsilon: 1e-6).named("norm").transpose([0, 3, 1, 2])
        }
    }
}
