extension GraphBuilder.Value {
    /// Convolves an image without a bias, then normalises each channel.
    ///
    ///     image.normalizedConvolution(64, kernel: 3, padding: .explicit(1)).relu()
    ///
    /// Layers: `convolution`, `normalization`.
    ///
    /// - Parameter channels: The number of channels of the result.
    public func normalizedConvolution(
        _ channels: Int, kernel: some WindowExtent, stride: some WindowExtent = 1, padding: Padding = .valid
    ) -> Self {
        block("normalizedConvolution") { input in
            input.convolution(channels, kernel: kernel, stride: stride, padding: padding, bias: false)
                .named("convolution").batchNormalization().named("normalization")
        }
    }
}
