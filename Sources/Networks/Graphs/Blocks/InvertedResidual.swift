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

    /// The block of MobileNet v3 and EfficientNet: an inverted residual with an excitation of the channels.
    ///
    /// Blocks: `expand` (unless the input has `expanded` channels), `depthwise`, those of `excitation`, `project`;
    /// `add`.
    ///
    /// - Parameters:
    ///   - channels: The number of channels of the result.
    ///   - expanded: The number of channels of the depthwise convolution.
    ///   - epsilon: Added to variances.
    ///   - activation: The function after the first two convolutions.
    ///   - excitation: Layers between the depthwise convolution and the last one.
    func invertedResidual(
        _ channels: Int, expanded: Int, kernel: Int, stride: Int, dilation: Int = 1, epsilon: Float,
        activation: (Self) -> Self, excitation: (Self) -> Self
    ) -> Self {
        block("invertedResidual") { input in
            let wide =
                input.channels == expanded
                ? input
                : activation(input.normalizedConvolution(expanded, kernel: 1, epsilon: epsilon).named("expand"))
            let filtered = wide.normalizedConvolution(
                expanded, kernel: kernel, stride: stride, padding: .explicit((kernel - 1) / 2 * dilation),
                dilation: dilation, groups: expanded, epsilon: epsilon
            ).named("depthwise")
            let result = excitation(activation(filtered))
                .normalizedConvolution(channels, kernel: 1, epsilon: epsilon).named("project")
            let isShortcut = stride == 1 && input.channels == channels
            return isShortcut ? result.added(to: input).named("add") : result
        }
    }

    /// The block of the first stages of EfficientNet v2: an inverted residual with one 3×3 convolution in place of the
    /// pointwise and the depthwise one.
    ///
    /// Blocks: `expand`, `project` (unless `expansion` is 1); `add`.
    /// Reference: Tan and Le, 2021, https://arxiv.org/abs/2104.00298
    func fusedInvertedResidual(_ channels: Int, expansion: Int, stride: Int, epsilon: Float) -> Self {
        block("fusedInvertedResidual") { input in
            let (wide, overflow) = (input.channels ?? 1).multipliedReportingOverflow(by: expansion)
            var result = input.normalizedConvolution(
                expansion == 1 ? channels : overflow ? -1 : wide, kernel: 3, stride: stride, padding: .explicit(1),
                epsilon: epsilon
            ).named("expand").silu()
            if expansion != 1 {
                result = result.normalizedConvolution(channels, kernel: 1, epsilon: epsilon).named("project")
            }
            return stride == 1 && input.channels == channels ? result.added(to: input).named("add") : result
        }
    }
}
