import Graphs
import Tensors

extension LayerKind {
    /// y = W · x + b with W [outputs, inputs], along the last axis, or along the channels of [C, 1, 1].
    static func innerProduct(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let (weightsField, biasField) = (20, 21)
        let p = try layer.decode(CoreMLInnerProductParameters.self, weights: [weightsField, biasField])
        let (inputs, outputs) = (p.inputChannels.count, p.outputChannels.count)
        let weights = try layer.weights(weightsField).tensor(shape: [outputs, inputs])
        let bias = p.hasBias_p ? try layer.weights(biasField).tensor(shape: [outputs]) : nil
        let x = try network.input(layer)
        let shape = try network.shape(x)
        if network.rule == .fiveAxes {
            let flat = shape.count == 2 ? x : try network.writer.apply("Flatten", [x])
            try network.output(layer, try product(flat, weights, bias, network))
            return
        }
        // Five axes that end in [C, 1, 1] have their channels in the middle.
        let isColumn = shape.count == 5 && shape[3...] == [1, 1] && shape[2] == inputs
        guard isColumn || shape.last == inputs else {
            throw .invalid("the weights [\(outputs), \(inputs)] do not fit the input \(shape)")
        }
        if shape.count == 2 {
            try network.output(layer, try product(x, weights, bias, network))
            return
        }
        guard isColumn else {
            let id = network.writer.constant(weights, "weights")
            let matrix = try network.writer.apply("Transpose", [id], ["perm": .ints([1, 0])])
            var result = try network.writer.apply("MatMul", [x, matrix])
            if let bias { result = try network.writer.apply("Add", [result, network.writer.constant(bias, "bias")]) }
            return try network.output(layer, result)
        }
        let rows = try network.reshaped(x, [-1, inputs])
        let result = try product(rows, weights, bias, network)
        try network.output(layer, try network.reshaped(result, shape[..<2] + [outputs, 1, 1]))
    }

    private static func product(
        _ rows: Graph.ValueID, _ weights: Tensor, _ bias: Tensor?, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        var inputs = [rows, network.writer.constant(weights, "weights")]
        if let bias { inputs.append(network.writer.constant(bias, "bias")) }
        return try network.writer.apply("Gemm", inputs, ["transB": .int(1)])
    }

    /// A · B over the last two axes, either transposed, the others broadcasting; with one input B [K, N] is a
    /// weight, which is stored as its transpose.
    static func batchedMatMul(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let (weightsField, biasField) = (8, 9)
        let p = try layer.decode(CoreMLBatchedMatMulParameters.self, weights: [weightsField, biasField])
        var a = try network.input(layer)
        if p.transposesA { a = try transposingLastAxes(a, network) }
        if layer.inputs.count > 1 {
            var b = try network.input(layer, 1)
            if p.transposesB { b = try transposingLastAxes(b, network) }
            try network.output(layer, try network.writer.apply("MatMul", [a, b]))
            return
        }
        let (rows, columns) = (p.rows.count, p.columns.count)
        let transposed = try layer.weights(weightsField).tensor(shape: [columns, rows])
        let id = network.writer.constant(transposed, "weights")
        let matrix = try network.writer.apply("Transpose", [id], ["perm": .ints([1, 0])])
        var result = try network.writer.apply("MatMul", [a, matrix])
        if p.hasBias_p {
            let bias = network.writer.constant(try layer.weights(biasField).tensor(shape: [columns]), "bias")
            result = try network.writer.apply("Add", [result, bias])
        }
        try network.output(layer, result)
    }

    private static func transposingLastAxes(
        _ x: Graph.ValueID, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        var order = Array(try network.shape(x).indices)
        guard order.count >= 2 else { return x }
        order.swapAt(order.count - 1, order.count - 2)
        return try network.writer.apply("Transpose", [x], ["perm": .ints(order)])
    }

    /// y = W[:, x] + b with W [outputs, words]; x holds whole numbers in [1, 1, 1].
    static func embedding(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let (weightsField, biasField) = (20, 21)
        let p = try layer.decode(CoreMLInnerProductParameters.self, weights: [weightsField, biasField])
        try embedding(
            layer, try layer.weights(weightsField).tensor(shape: [p.outputChannels.count, p.inputChannels.count]),
            p.hasBias_p ? try layer.weights(biasField).tensor(shape: [p.outputChannels.count]) : nil, network)
    }

    /// As above along a last axis of 1.
    static func embeddingND(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let (weightsField, biasField) = (20, 21)
        let p = try layer.decode(CoreMLEmbeddingNDParameters.self, weights: [weightsField, biasField])
        try embedding(
            layer, try layer.weights(weightsField).tensor(shape: [p.embeddingSize.count, p.vocabularySize.count]),
            p.hasBias_p ? try layer.weights(biasField).tensor(shape: [p.embeddingSize.count]) : nil, network)
    }

    private static func embedding(
        _ layer: Layer, _ weights: Tensor, _ bias: Tensor?, _ network: NetworkTranslator
    ) throws(FormatError) {
        let x = try network.input(layer)
        let shape = try network.shape(x)
        let isColumn = network.rule == .exact && shape.count == 5
        let indices: Graph.ValueID
        if network.rule == .fiveAxes {
            indices = try network.reshaped(x, [-1])
        } else if isColumn {
            indices = try network.reshaped(x, Array(shape[..<2]))
        } else {
            guard shape.last == 1 else { throw .invalid("the last axis of its input \(shape) is not 1") }
            indices = try network.reshaped(x, shape.dropLast() + [])
        }
        let integers = try network.writer.apply("Cast", [indices], ["to": .elementType(.int64)])
        let id = network.writer.constant(weights, "weights")
        let rows = try network.writer.apply("Transpose", [id], ["perm": .ints([1, 0])])
        var result = try network.writer.apply("Gather", [rows, integers], ["axis": .int(0)])
        if let bias {
            result = try network.writer.apply("Add", [result, network.writer.constant(bias, "bias")])
        }
        if isColumn { result = try network.reshaped(result, shape[..<2] + [weights.shape[0], 1, 1]) }
        try network.output(layer, result)
    }
}
