extension GraphBuilder.Value {
    /// Multiplies each channel of an image by a number from 0 to 1 that two pointwise convolutions compute from the
    /// means of all channels.
    ///
    ///     image.squeezeExcitation(24)
    ///     image.squeezeExcitation(24) { $0.silu() } gate: { $0.sigmoid() }
    ///
    /// Layers: `globalAveragePool1`, `squeeze`, `excite`, the functions after them, `scale`.
    /// Reference: Hu et al., 2017, https://arxiv.org/abs/1709.01507
    ///
    /// - Parameters:
    ///   - squeezed: The number of channels between the convolutions.
    ///   - activation: The function after the first convolution.
    ///   - gate: The function after the second one.
    public func squeezeExcitation(
        _ squeezed: Int, activation: (Self) -> Self = { $0.relu() }, gate: (Self) -> Self = { $0.sigmoid() }
    ) -> Self {
        block("squeezeExcitation") { input in
            let narrow = activation(input.globalAveragePool().convolution(squeezed, kernel: 1).named("squeeze"))
            let gates = gate(narrow.convolution(input.channels ?? 1, kernel: 1).named("excite"))
            return input.multiplied(by: gates).named("scale")
        }
    }
}
