extension GraphBuilder.Value {
    /// The module of Inception v1: pointwise, 3×3 and 5×5 convolutions and a pooling side by side, joined along the
    /// channels.
    ///
    ///     image.inception(pointwise: 64, reduce3x3: 96, wide3x3: 128, reduce5x5: 16, wide5x5: 32, pooled: 32)
    ///
    /// Layers: `1x1`, `3x3_reduce`, `3x3`, `5x5_reduce`, `5x5`, `pool`, `pool_proj`, convolutions each with a ReLU;
    /// `concat`. Reference: Szegedy et al., 2014, https://arxiv.org/abs/1409.4842
    ///
    /// - Parameters:
    ///   - pointwise: Channels of the pointwise branch.
    ///   - reduce3x3: Channels that the 3×3 convolution reads.
    ///   - wide3x3: Channels of the 3×3 branch.
    ///   - reduce5x5: Channels that the 5×5 convolution reads.
    ///   - wide5x5: Channels of the 5×5 branch.
    ///   - pooled: Channels of the branch with the pooling.
    public func inception(
        pointwise: Int, reduce3x3: Int, wide3x3: Int, reduce5x5: Int, wide5x5: Int, pooled: Int
    ) -> Self {
        block("inception") { input in
            let first = input.convolution(pointwise, kernel: 1).named("1x1").relu()
            let second = input.convolution(reduce3x3, kernel: 1).named("3x3_reduce").relu()
                .convolution(wide3x3, kernel: 3, padding: .explicit(1)).named("3x3").relu()
            let third = input.convolution(reduce5x5, kernel: 1).named("5x5_reduce").relu()
                .convolution(wide5x5, kernel: 5, padding: .explicit(2)).named("5x5").relu()
            let fourth = input.maxPool(3, padding: .explicit(1)).named("pool")
                .convolution(pooled, kernel: 1).named("pool_proj").relu()
            return first.concat(with: second, third, fourth).named("concat")
        }
    }
}
