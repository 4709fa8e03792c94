import Tensors

extension GraphBuilder.Value {
    /// Convolves an image `[N, C, H, W]` to `channels` channels.
    ///
    ///     image.convolution(64, kernel: 3, stride: 2, padding: .same)
    ///
    /// Weights: `weight` `[channels, C / groups, height, width]` and, with a bias, `bias` `[channels]`.
    ///
    /// - Parameters:
    ///   - channels: The number of channels of the result.
    ///   - kernel: The number of rows and columns that are summed up for one element.
    ///   - stride: The distance between the starts of adjacent windows.
    ///   - padding: The zeros around the edges of the image.
    ///   - dilation: The distance between adjacent kernel elements on the image.
    ///   - groups: The number of groups into which the channels are divided. Each group is convolved separately.
    ///   - bias: Whether a number is added to each channel.
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: a value that is not an image; a number below 1; a number
    /// of channels that is not a multiple of `groups`; a kernel larger than the padded image.
    public func convolution(
        _ channels: Int, kernel: some WindowExtent, stride: some WindowExtent = 1, padding: Padding = .valid,
        dilation: some WindowExtent = 1, groups: Int = 1, bias: Bool = true
    ) -> Self {
        convolution(
            channels, kernel: kernel, stride: stride, padding: padding, dilation: dilation, groups: groups, bias: bias,
            kind: "convolution")
    }

    /// Convolves each channel of an image by itself: a convolution with one group for each channel.
    ///
    /// Weights: `weight` `[C · multiplier, 1, height, width]` and, with a bias, `bias` `[C · multiplier]`.
    ///
    /// - Parameter multiplier: The number of channels of the result for each channel of the input.
    public func depthwiseConvolution(
        kernel: some WindowExtent, stride: some WindowExtent = 1, padding: Padding = .valid,
        dilation: some WindowExtent = 1, multiplier: Int = 1, bias: Bool = true
    ) -> Self {
        let groups = channels ?? 1
        let (features, overflow) = groups.multipliedReportingOverflow(by: multiplier)
        return convolution(
            overflow ? -1 : features, kernel: kernel, stride: stride, padding: padding, dilation: dilation,
            groups: groups, bias: bias, kind: "depthwiseConvolution")
    }

    private func convolution(
        _ channels: Int, kernel: some WindowExtent, stride: some WindowExtent, padding: Padding,
        dilation: some WindowExtent, groups: Int, bias: Bool, kind: String
    ) -> Self {
        let window: SpatialWindow
        do {
            window = try SpatialWindow(kernel: kernel, stride: stride, padding: padding, dilation: dilation)
        } catch {
            return builder.refuse(Conv.name, kind: kind, error.description, after: self)
        }
        guard let extents = builder.extents(of: self), extents.count == 4, let depth = extents[1] else {
            let text = shape.map(\.description) ?? "not known"
            return builder.refuse(
                Conv.name, kind: kind, "takes an image [N, C, H, W]; the input is \(text)", after: self)
        }
        guard channels >= 1, groups >= 1, depth % groups == 0, channels % groups == 0 else {
            return builder.refuse(
                Conv.name, kind: kind, "cannot make \(channels) channels from \(depth) in \(groups) groups", after: self
            )
        }
        var operation = Conv(group: groups)
        operation.window = window
        var weights = [GraphBuilder.Weight(suffix: "weight", shape: [channels, depth / groups] + window.kernel)]
        if bias { weights.append(GraphBuilder.Weight(suffix: "bias", shape: [channels])) }
        return builder.append(operation, kind: kind, [self], weights: weights)
    }

    /// Convolves an image `[N, C, H, W]` the other way round: each element is spread over a window of the result, and
    /// windows that overlap add up.
    ///
    ///     image.transposedConvolution(64, kernel: 2, stride: 2)     // [N, 128, 28, 28] → [N, 64, 56, 56]
    ///
    /// The result has (extent − 1) · stride + kernel − padding rows and columns. Weights: `weight`
    /// `[C, channels, height, width]` and, with a bias, `bias` `[channels]`.
    ///
    /// - Parameters:
    ///   - channels: The number of channels of the result.
    ///   - kernel: The extents of the window over which an element is spread.
    ///   - stride: The distance between the windows of adjacent elements.
    ///   - padding: The rows and columns that are cut off at the edges of the result.
    ///   - bias: Whether a number is added to each channel.
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: a value that is not an image; a number below 1.
    public func transposedConvolution(
        _ channels: Int, kernel: some WindowExtent, stride: some WindowExtent = 1, padding: Padding = .valid,
        bias: Bool = true
    ) -> Self {
        let window: SpatialWindow
        do {
            window = try SpatialWindow(kernel: kernel, stride: stride, padding: padding)
        } catch {
            return builder.refuse(ConvTranspose.name, kind: "transposedConvolution", error.description, after: self)
        }
        guard let extents = builder.extents(of: self), extents.count == 4, let depth = extents[1], channels >= 1 else {
            let text = shape.map(\.description) ?? "not known"
            return builder.refuse(
                ConvTranspose.name, kind: "transposedConvolution",
                "takes an image [N, C, H, W] to 1 channel or more; the input is \(text)", after: self)
        }
        var weights = [GraphBuilder.Weight(suffix: "weight", shape: [depth, channels] + window.kernel)]
        if bias { weights.append(GraphBuilder.Weight(suffix: "bias", shape: [channels])) }
        return builder.append(
            ConvTranspose(window: window), kind: "transposedConvolution", [self], weights: weights)
    }

    /// Computes `features` weighted sums of a list `[N, F]`, or of each row of `[N, T, F]`: a fully connected layer.
    ///
    /// The weights for a list are `weight` `[features, F]` and, with a bias, `bias` `[features]`. Those for rows are
    /// `product.weight` `[F, features]` and `sum.bias` `[features]`.
    ///
    /// The rows of an image `[N, C, H, W]` are those along its width; ``flatten()`` makes a list of all its numbers.
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: a value with fewer than two axes.
    public func linear(_ features: Int, bias: Bool = true) -> Self {
        guard let extents = builder.extents(of: self), (2...3).contains(extents.count),
            let depth = extents[extents.count - 1]
        else {
            let text = shape.map(\.description) ?? "not known"
            return builder.refuse(
                Gemm.name, kind: "linear", "takes a list [N, F]; the input is \(text); flatten() makes one", after: self
            )
        }
        guard features >= 1 else {
            return builder.refuse(Gemm.name, kind: "linear", "cannot make \(features) features", after: self)
        }
        guard extents.count == 2 else { return rowLinear(features, bias: bias) }
        var weights = [GraphBuilder.Weight(suffix: "weight", shape: [features, depth])]
        if bias { weights.append(GraphBuilder.Weight(suffix: "bias", shape: [features])) }
        return builder.append(Gemm(transB: true), kind: "linear", [self], weights: weights)
    }
    /// A fully connected layer for each row of a value of any number of axes, such as the pixels of an image with the
    /// channels last.
    func rowLinear(_ features: Int, bias: Bool = true) -> Self {
        guard let depth = builder.extents(of: self)?.last ?? nil, features >= 1 else {
            let text = shape.map(\.description) ?? "not known"
            return builder.refuse(
                MatMul.name, kind: "linear", "cannot make \(features) features of rows; the input is \(text)",
                after: self)
        }
        return block("linear") { input in
            let product = builder.append(
                MatMul(), kind: "product", [input],
                weights: [GraphBuilder.Weight(suffix: "weight", shape: [depth, features])]
            ).named("product")
            guard bias else { return product }
            return builder.append(
                Add(), kind: "sum", [product], weights: [GraphBuilder.Weight(suffix: "bias", shape: [features])]
            ).named("sum")
        }
    }
}
