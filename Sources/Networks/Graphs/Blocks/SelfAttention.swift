extension GraphBuilder.Value {
    /// Self-attention of several heads over tokens: `[N, T, C]` → `[N, T, C]`.
    ///
    ///     tokens.residual { $0.layerNormalization().attention(heads: 12) }
    ///
    /// Each head has C / heads features, and computes softmax(q · kᵀ / √features) · v of projections of the tokens.
    ///
    /// Blocks: `qkv`, a linear layer whose result holds queries, keys and values one after the other; `projection`, a
    /// linear layer. Reference: Vaswani et al., 2017, https://arxiv.org/abs/1706.03762
    ///
    /// - Parameter heads: The number of heads, by which C is divisible.
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: a value that is not `[N, T, C]`; C not divisible.
    public func attention(heads: Int) -> Self { attention(heads: heads) { $0 } }

    /// - Parameter bias: Adds something to the scores `[N, heads, T, T]`.
    func attention(heads: Int, bias: (Self) -> Self) -> Self {
        block("attention") { input in
            guard let extents = builder.extents(of: input), extents.count == 3, let features = extents[2], heads >= 1,
                features % heads == 0
            else {
                let text = shape.map(\.description) ?? "not known"
                return builder.refuse(
                    MatMul.name, kind: "attention",
                    "takes tokens [N, T, C] with C divisible by \(heads); the input is \(text)", after: input)
            }
            let size = features / heads
            let (tripled, overflow) = features.multipliedReportingOverflow(by: 3)
            let parts = input.linear(overflow ? -1 : tripled).named("qkv").split(
                [features, features, features], axis: 2)
            let matrices = parts.map { $0.reshape([0, 0, heads, size]) }
            let (query, key) = (matrices[0].transpose([0, 2, 1, 3]), matrices[1].transpose([0, 2, 3, 1]))
            let scores = query.matrixProduct(with: key).multiplied(by: 1 / Float(size).squareRoot())
            return bias(scores).softmax().matrixProduct(with: matrices[2].transpose([0, 2, 1, 3]))
                .transpose([0, 2, 1, 3]).reshape([0, 0, features]).linear(features).named("projection")
        }
    }

    /// Two linear layers with the Gaussian error linear unit between them, on each row: `[N, …, C]` → `[N, …, C]`.
    ///
    /// Blocks: `expand`, `reduce`.
    ///
    /// - Parameter hidden: The number of features between the layers.
    public func tokenPerceptron(hidden: Int) -> Self {
        block("perceptron") { input in
            guard let features = builder.extents(of: input)?.last ?? nil else {
                return builder.refuse(
                    MatMul.name, kind: "perceptron", "takes rows [N, …, C] of a fixed number of features", after: input)
            }
            return input.rowLinear(hidden).named("expand").gelu().rowLinear(features).named("reduce")
        }
    }

    /// The layer of an encoder of transformers that normalises before it computes: attention, then a perceptron, each
    /// beside a shortcut: `[N, T, C]` → `[N, T, C]`.
    ///
    ///     tokens.transformerEncoder(heads: 12, hidden: 3072)
    ///
    /// Reference: Dosovitskiy et al., 2020, https://arxiv.org/abs/2010.11929
    ///
    /// - Parameters:
    ///   - heads: The number of heads of the attention.
    ///   - hidden: The number of features within the perceptron.
    ///   - epsilon: Added to variances.
    public func transformerEncoder(heads: Int, hidden: Int, epsilon: Float = 1e-6) -> Self {
        block("transformerEncoder") { input in
            input
                .residual { $0.layerNormalization(epsilon: epsilon).attention(heads: heads).named("attention") }
                .residual {
                    $0.layerNormalization(epsilon: epsilon).tokenPerceptron(hidden: hidden).named("perceptron")
                }
        }
    }
}
