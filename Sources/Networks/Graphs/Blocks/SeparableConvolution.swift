extension GraphBuilder.Value {
    /// MobileNet's block: a depthwise convolution, then a pointwise one, each with batch normalisation and ReLU6.
    ///
    ///     image.separableConvolution(64, kernel: 3, stride: 2, padding: .same)
    ///
    /// Layers: `depthwise` and `pointwise`, and the layers that follow each.
    /// Reference: Howard et al., 2017, https://arxiv.org/abs/1704.04861
    ///
    /// - Parameters:
    ///   - channels: The number of channels of the result.
    ///   - kernel: The extents of the depthwise kernel.
    public func separableConvolution(
        _ channels: Int, kernel: some WindowExtent = 3, stride: some WindowExtent = 1, padding: Padding = .same
    ) -> Self {
        block("separableConvolution") { input in
            input.depthwiseConvolution(kernel: kernel, stride: stride, padding: padding, bias: false)
                .named("depthwise").batchNormalization().relu6()
                .convolution(channels, kernel: 1, bias: false).named("pointwise").batchNormalization().relu6()
        }
    }
}
