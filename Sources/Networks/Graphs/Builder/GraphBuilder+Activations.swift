import Tensors

extension GraphBuilder.Value {
    /// max(x, 0)
    public func relu() -> Self { builder.append(Relu(), kind: "relu", [self]) }

    /// min(max(x, 0), 6)
    public func relu6() -> Self { clip(0...6, kind: "relu6") }

    /// min(max(x, lower), upper)
    public func clip(_ range: ClosedRange<Float>) -> Self { clip(range, kind: "clip") }

    /// x where x ≥ 0, otherwise slope · x
    public func leakyRelu(slope: Float = 0.01) -> Self {
        builder.append(LeakyRelu(alpha: slope), kind: "leakyRelu", [self])
    }

    /// 1 / (1 + e⁻ˣ)
    public func sigmoid() -> Self { builder.append(Sigmoid(), kind: "sigmoid", [self]) }

    /// The hyperbolic tangent.
    public func tanh() -> Self { builder.append(Tanh(), kind: "tanh", [self]) }

    /// x · min(max(x + 3, 0), 6) / 6
    public func hardSwish() -> Self { builder.append(HardSwish(), kind: "hardSwish", [self]) }

    /// min(max(x + 3, 0), 6) / 6
    public func hardSigmoid() -> Self { builder.append(HardSigmoid(alpha: 1 / 6), kind: "hardSigmoid", [self]) }

    /// x/2 · (1 + erf(x / √2)), the Gaussian error linear unit.
    public func gelu() -> Self { builder.append(Gelu(), kind: "gelu", [self]) }

    /// x · sigmoid(x), also called swish.
    public func silu() -> Self {
        block("silu") { $0.multiplied(by: $0.sigmoid()) }
    }

    /// eˣ divided by its sum along `axis`, so that the results are positive and add up to 1.
    public func softmax(axis: Int = -1) -> Self {
        builder.append(Softmax(axis: axis), kind: "softmax", [self])
    }

    /// Drops elements in training; in inference it changes nothing.
    ///
    /// - Parameter ratio: The share of elements that training drops; without effect here.
    public func dropout(_ ratio: Float = 0.5) -> Self {
        builder.append(Dropout(), kind: "dropout", [self])
    }

    private func clip(_ range: ClosedRange<Float>, kind: String) -> Self {
        builder.append(Clip(min: range.lowerBound, max: range.upperBound), kind: kind, [self])
    }
}
