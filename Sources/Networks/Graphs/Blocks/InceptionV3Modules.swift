/// The modules of Inception v3: branches side by side, joined along the channels. Batch normalisation and a ReLU follow
/// each convolution.
///
/// References: Szegedy et al., 2015, https://arxiv.org/abs/1512.00567;
/// https://github.com/pytorch/vision/blob/main/torchvision/models/inception.py
extension GraphBuilder.Value {
    /// Branches with a pointwise convolution, a 5×5, two 3×3, and a pooling: `[N, C, H, W]` → `[N, 224 + pooled, H,
    /// W]`.
    ///
    /// Blocks: `1x1`; `5x5_reduce`, `5x5`; `double_reduce`, `double_3x3a`, `double_3x3b`; `pool`, `pool_proj`;
    /// `concat`.
    ///
    /// - Parameter pooled: Channels of the branch with the pooling.
    public func inceptionA(pooled: Int) -> Self {
        block("inceptionA") { input in
            let first = input.inceptionConvolution(64, kernel: 1).named("1x1")
            let second = input.inceptionConvolution(48, kernel: 1).named("5x5_reduce")
                .inceptionConvolution(64, kernel: 5, padding: .explicit(2)).named("5x5")
            let third = input.inceptionConvolution(64, kernel: 1).named("double_reduce")
                .inceptionConvolution(96, kernel: 3, padding: .explicit(1)).named("double_3x3a")
                .inceptionConvolution(96, kernel: 3, padding: .explicit(1)).named("double_3x3b")
            return first.concat(with: second, third, input.pooledBranch(pooled)).named("concat")
        }
    }

    /// Branches with a 3×3 convolution, two 3×3, and a pooling, of stride 2: `[N, C, H, W]` → `[N, C + 480, H/2, W/2]`.
    ///
    /// Blocks: `3x3`; `double_reduce`, `double_3x3a`, `double_3x3b`; `pool`; `concat`.
    public func inceptionB() -> Self {
        block("inceptionB") { input in
            let first = input.inceptionConvolution(384, kernel: 3, stride: 2).named("3x3")
            let second = input.inceptionConvolution(64, kernel: 1).named("double_reduce")
                .inceptionConvolution(96, kernel: 3, padding: .explicit(1)).named("double_3x3a")
                .inceptionConvolution(96, kernel: 3, stride: 2).named("double_3x3b")
            return first.concat(with: second, input.maxPool(3, stride: 2).named("pool")).named("concat")
        }
    }

    /// Branches with a pointwise convolution, a 7×7, two 7×7, and a pooling: `[N, C, H, W]` → `[N, 768, H, W]`. The 7×7
    /// convolutions are split into rows and columns.
    ///
    /// Blocks: `1x1`; `7x7_reduce`, `1x7`, `7x1`; `double_reduce`, `double_7x1a`, `double_1x7a`, `double_7x1b`,
    /// `double_1x7b`; `pool`, `pool_proj`; `concat`.
    ///
    /// - Parameter reduced: The number of channels between the convolutions of a branch.
    public func inceptionC(reduced: Int) -> Self {
        block("inceptionC") { input in
            let first = input.inceptionConvolution(192, kernel: 1).named("1x1")
            let second = input.inceptionConvolution(reduced, kernel: 1).named("7x7_reduce")
                .rowConvolution(reduced, 7).named("1x7").columnConvolution(192, 7).named("7x1")
            let third = input.inceptionConvolution(reduced, kernel: 1).named("double_reduce")
                .columnConvolution(reduced, 7).named("double_7x1a").rowConvolution(reduced, 7).named("double_1x7a")
                .columnConvolution(reduced, 7).named("double_7x1b").rowConvolution(192, 7).named("double_1x7b")
            return first.concat(with: second, third, input.pooledBranch(192)).named("concat")
        }
    }

    /// Branches with a 3×3 convolution, a 7×7 (split into rows and columns) and a 3×3, and a pooling, of stride 2:
    /// `[N, C, H, W]` → `[N, C + 512, H/2, W/2]`.
    ///
    /// Blocks: `3x3_reduce`, `3x3`; `7x7_reduce`, `1x7`, `7x1`, `7x7_3x3`; `pool`; `concat`.
    public func inceptionD() -> Self {
        block("inceptionD") { input in
            let first = input.inceptionConvolution(192, kernel: 1).named("3x3_reduce")
                .inceptionConvolution(320, kernel: 3, stride: 2).named("3x3")
            let second = input.inceptionConvolution(192, kernel: 1).named("7x7_reduce")
                .rowConvolution(192, 7).named("1x7").columnConvolution(192, 7).named("7x1")
                .inceptionConvolution(192, kernel: 3, stride: 2).named("7x7_3x3")
            return first.concat(with: second, input.maxPool(3, stride: 2).named("pool")).named("concat")
        }
    }

    /// Branches with a pointwise convolution, rows beside columns, a 3×3 before rows beside columns, and a pooling:
    /// `[N, C, H, W]` → `[N, 2048, H, W]`.
    ///
    /// Blocks: `1x1`; `3x3_reduce`, `1x3`, `3x1`; `double_reduce`, `double_3x3`, `double_1x3`, `double_3x1`; `pool`,
    /// `pool_proj`; `concat`.
    public func inceptionE() -> Self {
        block("inceptionE") { input in
            let first = input.inceptionConvolution(320, kernel: 1).named("1x1")
            let second = input.inceptionConvolution(384, kernel: 1).named("3x3_reduce")
            let rows = second.rowConvolution(384, 3).named("1x3")
            let columns = second.columnConvolution(384, 3).named("3x1")
            let third = input.inceptionConvolution(448, kernel: 1).named("double_reduce")
                .inceptionConvolution(384, kernel: 3, padding: .explicit(1)).named("double_3x3")
            let doubleRows = third.rowConvolution(384, 3).named("double_1x3")
            let doubleColumns = third.columnConvolution(384, 3).named("double_3x1")
            let fourth = input.pooledBranch(192)
            return first.concat(with: rows, columns, doubleRows, doubleColumns, fourth).named("concat")
        }
    }

    /// A convolution of Inception v3, followed by batch normalisation with epsilon 0.001 and a ReLU.
    func inceptionConvolution(
        _ channels: Int, kernel: some WindowExtent, stride: Int = 1, padding: Padding = .valid
    ) -> Self {
        block("inceptionConvolution") { input in
            input.convolution(channels, kernel: kernel, stride: stride, padding: padding, bias: false)
                .named("convolution").batchNormalization(epsilon: 0.001).named("normalization").relu()
        }
    }

    /// A convolution of 1 × `extent`.
    private func rowConvolution(_ channels: Int, _ extent: Int) -> Self {
        inceptionConvolution(
            channels, kernel: .of(height: 1, width: extent),
            padding: .explicit(vertical: 0, horizontal: extent / 2))
    }

    /// A convolution of `extent` × 1.
    private func columnConvolution(_ channels: Int, _ extent: Int) -> Self {
        inceptionConvolution(
            channels, kernel: .of(height: extent, width: 1),
            padding: .explicit(vertical: extent / 2, horizontal: 0))
    }

    private func pooledBranch(_ channels: Int) -> Self {
        averagePool(3, padding: .explicit(1), countingPadding: true).named("pool")
            .inceptionConvolution(channels, kernel: 1).named("pool_proj")
    }
}
