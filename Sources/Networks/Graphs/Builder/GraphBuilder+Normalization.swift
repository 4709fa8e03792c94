import Tensors

extension GraphBuilder.Value {
    /// Normalises each channel with the mean and variance found in training, then scales and shifts it.
    ///
    /// Weights: `scale`, `bias`, `mean` and `variance`, each `[C]`.
    ///
    /// - Parameter epsilon: Added to the variance before the square root.
    public func batchNormalization(epsilon: Float = 1e-5) -> Self {
        guard let extents = builder.extents(of: self), extents.count >= 2, let channels = extents[1] else {
            let text = shape.map(\.description) ?? "not known"
            return builder.refuse(
                BatchNormalization.name, kind: "batchNormalization",
                "takes a value with channels [N, C, …]; the input is \(text)", after: self)
        }
        return builder.append(
            BatchNormalization(epsilon: epsilon), kind: "batchNormalization", [self],
            weights: ["scale", "bias", "mean", "variance"].map {
                GraphBuilder.Weight(suffix: $0, shape: [channels])
            })
    }

    /// Normalises each row of the last axis, as `[N, T, C]` has one for each token, by its own mean and variance, then
    /// scales and shifts its elements.
    ///
    /// Weights: `scale` and `bias`, each `[C]`.
    ///
    /// - Parameter epsilon: Added to the variance before the square root.
    public func layerNormalization(epsilon: Float = 1e-5) -> Self {
        guard let extents = builder.extents(of: self), extents.count >= 2, let features = extents[extents.count - 1]
        else {
            let text = shape.map(\.description) ?? "not known"
            return builder.refuse(
                LayerNormalization.name, kind: "layerNormalization",
                "takes a value with rows [N, …, C]; the input is \(text)", after: self)
        }
        return builder.append(
            LayerNormalization(epsilon: epsilon), kind: "layerNormalization", [self],
            weights: ["scale", "bias"].map { GraphBuilder.Weight(suffix: $0, shape: [features]) })
    }

    /// Divides each element by a power of the mean square of its neighbours in `size` channels.
    ///
    /// y = x / (bias + alpha / size · Σ x²)^beta
    public func localResponseNormalization(
        size: Int = 5, alpha: Float = 1e-4, beta: Float = 0.75, bias: Float = 1
    ) -> Self {
        guard size >= 1 else {
            return builder.refuse(
                LRN.name, kind: "localResponseNormalization", "size \(size) must be at least 1", after: self)
        }
        return builder.append(
            LRN(size: size, alpha: alpha, beta: beta, bias: bias), kind: "localResponseNormalization", [self])
    }
}
