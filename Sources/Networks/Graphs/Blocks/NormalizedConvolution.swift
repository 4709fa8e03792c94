extension GraphBuilder.Value {
    /// Convolves an image without a bias, then normalises each channel.
    ///
    ///     image.normalizedConvolution(64, kernel: 3, padding: .explicit(1)).relu()
    ///
    /// Layers: `convolution`, `normalization`.
    ///
    /// - Parameters:
    ///   - channels: The number of channels of the result.
    ///   - dilation: The distance between adjacent kernel elements on the image.
    ///   - groups: The number of groups into which the channels are divided. Each group is convolved separately.
    ///   - epsilon: Added to the variance before the square root.
    public func normalizedConvolution(
        _ channels: Int, kernel: some WindowExtent, stride: some WindowExtent = 1, padding: Padding = .valid,
        dilation: some WindowExtent = 1, groups: Int = 1, epsilon: Float = 1e-5
    ) -> Self {
        block("normalizedConvolution") { input in
            input.convolution(
                channels, kernel: kernel, stride: stride, padding: padding, dilation: dilation, groups: groups,
                bias: false
            )
            .named("convolution").batchNormalization(epsilon: epsilon).named("normalization")
        }
    }
}
