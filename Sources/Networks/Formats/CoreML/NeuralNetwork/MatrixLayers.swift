import Graphs
import Tensors

extension LayerKind {
    /// The weights of an inner product or an embedding.
    private enum ProductField: Int, MessageField {
        case weights = 20, bias
    }

    /// y = W · x + b with W [outputs, inputs], along the last axis, or along the channels of [C, 1, 1].
    static func innerProduct(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLInnerProductParameters.self, without: ProductField.self)
        let (inputs, outputs) = (p.inputChannels.count, p.outputChannels.count)
        let weights = try layer.weights(ProductField.weights).tensor(shape: [outputs, inputs])
        let bias = p.hasBias_p ? try layer.weights(ProductField.bias).tensor(shape: [outputs]) : nil
        let x = try network.input(layer)
        let shape = try network.shape(x)
        if network.rule == .fiveAxes {
            let flat = shape.count == 2 ? x : try network.writer.apply(Flatten(), [x])
            return try network.output(layer, try rowProduct(flat, weights, bias, network))
        }
        // With five axes that end in [C, 1, 1], the channels are the third axis.
        let isColumn = shape.count == 5 && shape[3...] == [1, 1] && shape[2] == inputs
        guard isColumn || shape.last == inputs else {
            throw .invalid("the weights [\(outputs), \(inputs)] do not fit the input \(shape)")
        }
        if shape.count == 2 {
            return try network.output(layer, try rowProduct(x, weights, bias, network))
        }
        guard isColumn else {
            return try network.output(layer, try product(x, weights, bias, network))
        }
        let rows = try network.writer.reshaped(x, [-1, inputs])
        let result = try rowProduct(rows, weights, bias, network)
        try network.output(layer, try network.writer.reshaped(result, shape[..<2] + [outputs, 1, 1]))
    }

    private static func rowProduct(
        _ x: Graph.ValueID, _ weights: Tensor, _ bias: Tensor?, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        let weights = network.writer.constant(weights, "weights")
        return try network.writer.rowProduct(
            x, weights: weights, bias: bias.map { network.writer.constant($0, "bias") })
    }

    private static func product(
        _ x: Graph.ValueID, _ weights: Tensor, _ bias: Tensor?, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        let weights = network.writer.constant(weights, "weights")
        return try network.writer.product(
            x, weights: weights, bias: bias.map { network.writer.constant($0, "bias") })
    }

    private enum MatMulField: Int, MessageField {
        case weights = 8, bias
    }

    /// A · B over the last two axes. Either may be transposed, and the other axes broadcast. With one input, B [K, N]
    /// is a weight and is stored as its transpose.
    static func batchedMatMul(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLBatchedMatMulParameters.self, without: MatMulField.self)
        var a = try network.input(layer)
        if p.transposesA { a = try network.writer.transposingLastAxes(a) }
        if layer.inputs.count > 1 {
            var b = try network.input(layer, 1)
            if p.transposesB { b = try network.writer.transposingLastAxes(b) }
            return try network.output(layer, try network.writer.apply(MatMul(), [a, b]))
        }
        let (rows, columns) = (p.rows.count, p.columns.count)
        let weights = try layer.weights(MatMulField.weights).tensor(shape: [columns, rows])
        let bias = p.hasBias_p ? try layer.weights(MatMulField.bias).tensor(shape: [columns]) : nil
        try network.output(layer, try product(a, weights, bias, network))
    }

    /// y = W[:, x] + b with W [outputs, words]; x holds integers in [1, 1, 1].
    static func embedding(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLInnerProductParameters.self, without: ProductField.self)
        try embedding(
            layer, words: p.inputChannels.count, outputs: p.outputChannels.count, hasBias: p.hasBias_p, network)
    }

    /// y = W[:, x] + b, where the last axis of x has extent 1.
    static func embeddingND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLEmbeddingNDParameters.self, without: ProductField.self)
        try embedding(
            layer, words: p.vocabularySize.count, outputs: p.embeddingSize.count, hasBias: p.hasBias_p, network)
    }

    private static func embedding(
        _ layer: Layer, words: Int, outputs: Int, hasBias: Bool, _ network: NetworkTranslator
    ) throws(FormatError) {
        let weights = try layer.weights(ProductField.weights).tensor(shape: [outputs, words])
        let bias = hasBias ? try layer.weights(ProductField.bias).tensor(shape: [outputs]) : nil
        let x = try network.input(layer)
        let shape = try network.shape(x)
        let isColumn = network.rule == .exact && shape.count == 5
        let indices: Graph.ValueID
        if network.rule == .fiveAxes {
            indices = try network.writer.reshaped(x, [-1])
        } else if isColumn {
            indices = try network.writer.reshaped(x, [0, 0])
        } else {
            guard shape.last == 1 else { throw .invalid("the last axis of its input \(shape) is not 1") }
            indices = try network.writer.squeezed(x, axes: [-1])
        }
        let integers = try network.integers(indices)
        let rows = try network.writer.transposed(network.writer.constant(weights, "weights"), [1, 0])
        var result = try network.writer.apply(Gather(), [rows, integers])
        if let bias {
            result = try network.writer.apply(Add(), [result, network.writer.constant(bias, "bias")])
        }
        if isColumn { result = try network.writer.reshaped(result, shape[..<2] + [outputs, 1, 1]) }
        try network.output(layer, result)
    }
}
