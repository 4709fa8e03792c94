extension GraphBuilder.Value {
    /// SqueezeNet's block: a pointwise convolution to few channels, then a pointwise and a 3×3 convolution side by
    /// side, joined along the channels.
    ///
    ///     image.fire(squeeze: 16, expand: 64)     // [N, 64, 55, 55] → [N, 128, 55, 55]
    ///
    /// Layers: `squeeze1x1`, `expand1x1`, `expand3x3`, each with a ReLU; `concat`.
    /// Reference: Iandola et al., 2016, https://arxiv.org/abs/1602.07360
    ///
    /// - Parameters:
    ///   - squeeze: The number of channels of the first convolution.
    ///   - expand: The number of channels of each of the two halves of the result.
    public func fire(squeeze: Int, expand: Int) -> Self {
        block("fire") { input in
            let squeezed = input.convolution(squeeze, kernel: 1).named("squeeze1x1").relu()
            let pointwise = squeezed.convolution(expand, kernel: 1).named("expand1x1").relu()
            let wide = squeezed.convolution(expand, kernel: 3, padding: .explicit(1)).named("expand3x3").relu()
            return pointwise.concat(with: wide).named("concat")
        }
    }
}
