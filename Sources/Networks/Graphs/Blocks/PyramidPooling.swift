extension GraphBuilder.Value {
    /// DeepLab's spatial pyramid: a pointwise convolution, dilated 3×3 ones and a mean of the whole image side by side,
    /// joined along the channels and projected by a pointwise convolution: `[N, C, H, W]` → `[N, channels, H, W]`.
    ///
    ///     image.pyramidPooling(256, rates: [12, 24, 36])
    ///
    /// Blocks: `pointwise`, `dilated1`, `dilated2`, …, `pooled`, `project`, each with batch normalisation and a ReLU.
    /// Reference: Chen et al., 2017, https://arxiv.org/abs/1706.05587
    ///
    /// - Parameters:
    ///   - channels: The number of channels of each branch and of the result.
    ///   - rates: The dilations of the 3×3 convolutions.
    public func pyramidPooling(_ channels: Int, rates: [Int]) -> Self {
        block("pyramidPooling") { input in
            guard let extents = builder.extents(of: input), extents.count == 4, let height = extents[2],
                let width = extents[3]
            else {
                return builder.refuse(
                    Conv.name, kind: "pyramidPooling", "takes an image [N, C, H, W] of a fixed size", after: input)
            }
            var branches = [input.normalizedConvolution(channels, kernel: 1).named("pointwise").relu()]
            for (number, rate) in rates.enumerated() {
                branches.append(
                    input.normalizedConvolution(channels, kernel: 3, padding: .explicit(rate), dilation: rate)
                        .named("dilated\(number + 1)").relu())
            }
            branches.append(
                input.globalAveragePool().normalizedConvolution(channels, kernel: 1).named("pooled").relu()
                    .resize(height: height, width: width))
            return builder.concat(branches).normalizedConvolution(channels, kernel: 1).named("project").relu()
        }
    }
}
