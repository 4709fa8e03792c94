extension GraphBuilder.Value {
    /// MobileNet v2's block: a pointwise convolution to many channels, a depthwise one, and a pointwise one back to
    /// few, with a shortcut where input and result have the same shape.
    ///
    ///     image.invertedResidual(24, expansion: 6, stride: 2)
    ///
    /// Layers: `expand` (unless `expansion` is 1), `depthwise`, `project`, each with batch normalisation and all but
    /// the last with ReLU6; `add`. Reference: Sandler et al., 2018, https://arxiv.org/abs/1801.04381
    ///
    /// - Parameters:
    ///   - channels: The number of channels of the result.
    ///   - expansion: The factor by which the first convolution multiplies the channels.
    public func invertedResidual(
        _ channels: Int, expansion: Int, kernel: some WindowExtent = 3, stride: some WindowExtent = 1,
        padding: Padding = .same
    ) -> Self {
        block("invertedResidual") { input in
            let (wide, overflow) = (input.channels ?? 1).multipliedReportingOverflow(by: expansion)
            let expanded =
                expansion == 1
                ? input
                : input.convolution(overflow ? -1 : wide, kernel: 1, bias: false).named("expand")
                    .batchNormalization().relu6()
            let result = expanded.depthwiseConvolution(kernel: kernel, stride: stride, padding: padding, bias: false)
                .named("depthwise").batchNormalization().relu6()
                .convolution(channels, kernel: 1, bias: false).named("project").batchNormalization()
            let isShortcut = stride.list == [1, 1] && input.channels == channels && input.shape == result.shape
            return isShortcut ? result.added(to: input).named("add") : result
        }
    }
}
