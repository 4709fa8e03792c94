extension GraphBuilder.Value {
    /// The block of the smaller ResNets: two 3×3 convolutions beside a shortcut.
    ///
    ///     image.basicResidual(128, stride: 2)
    ///
    /// Blocks: `conv1`, `conv2`, and `projection` where the shape changes, each with batch normalisation; `add`; ReLUs.
    /// Reference: He et al., 2015, https://arxiv.org/abs/1512.03385
    ///
    /// - Parameter channels: The number of channels of the result.
    public func basicResidual(_ channels: Int, stride: Int = 1) -> Self {
        block("basicResidual") { input in
            input
                .normalizedConvolution(channels, kernel: 3, stride: stride, padding: .explicit(1)).named("conv1").relu()
                .normalizedConvolution(channels, kernel: 3, padding: .explicit(1)).named("conv2")
                .added(to: input.shortcut(channels, stride: stride)).named("add").relu()
        }
    }

    /// The block of the larger ResNets: a 3×3 convolution between pointwise ones, beside a shortcut.
    ///
    ///     image.bottleneckResidual(128, stride: 2)      // [N, 256, 56, 56] → [N, 512, 28, 28]
    ///
    /// The 3×3 convolution has the stride, as in version 1.5.
    ///
    /// Blocks: `conv1`, `conv2`, `conv3`, and `projection` where the shape changes, each with batch normalisation;
    /// `add`; ReLUs. References: He et al., 2015, https://arxiv.org/abs/1512.03385;
    /// https://catalog.ngc.nvidia.com/orgs/nvidia/resources/resnet_50_v1_5_for_pytorch
    ///
    /// - Parameters:
    ///   - channels: The number of channels of the 3×3 convolution; the result has four times as many.
    ///   - stride: The distance between the windows of the 3×3 convolution.
    public func bottleneckResidual(_ channels: Int, stride: Int = 1) -> Self {
        let (wide, overflow) = channels.multipliedReportingOverflow(by: 4)
        return bottleneckResidual(overflow ? -1 : wide, inner: channels, groups: 1, stride: stride)
    }

    /// The block of ResNeXt: a 3×3 convolution in groups between pointwise ones, beside a shortcut.
    ///
    ///     image.bottleneckResidual(512, inner: 256, groups: 32, stride: 2)  // [N, 256, 56, 56] → [N, 512, 28, 28]
    ///
    /// Blocks: those of ``bottleneckResidual(_:stride:)``.
    /// Reference: Xie et al., 2016, https://arxiv.org/abs/1611.05431
    ///
    /// - Parameters:
    ///   - channels: The number of channels of the result.
    ///   - inner: The number of channels of the 3×3 convolution.
    ///   - groups: The number of groups of the 3×3 convolution.
    ///   - stride: The distance between the windows of the 3×3 convolution.
    public func bottleneckResidual(_ channels: Int, inner: Int, groups: Int, stride: Int = 1) -> Self {
        bottleneckResidual(channels, inner: inner, groups: groups, stride: stride) { $0 }
    }

    /// - Parameter excitation: Layers between the 3×3 convolution and the last one.
    func bottleneckResidual(
        _ channels: Int, inner: Int, groups: Int, stride: Int, excitation: (Self) -> Self
    ) -> Self {
        block("bottleneckResidual") { input in
            let features =
                input
                .normalizedConvolution(inner, kernel: 1).named("conv1").relu()
                .normalizedConvolution(inner, kernel: 3, stride: stride, padding: .explicit(1), groups: groups)
                .named("conv2").relu()
            return excitation(features)
                .normalizedConvolution(channels, kernel: 1).named("conv3")
                .added(to: input.shortcut(channels, stride: stride)).named("add").relu()
        }
    }

    /// This value, projected if the block changes its shape.
    private func shortcut(_ channels: Int, stride: Int) -> Self {
        guard stride != 1 || self.channels != channels else { return self }
        return normalizedConvolution(channels, kernel: 1, stride: stride).named("projection")
    }
}
