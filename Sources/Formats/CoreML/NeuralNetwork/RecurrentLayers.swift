import Graphs
import Tensors

extension LayerKind {
    /// h = f(W · x + R · h + b)
    static func simpleRecurrent(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try recurrent(layer, "RNN", RecurrentFields(weights: [30], recurrence: [31], bias: [32]), network)
    }

    /// z = f(W_z · x + R_z · h + b_z), r = f(W_r · x + R_r · h + b_r), o = g(W_o · x + R_o · (r ⊙ h) + b_o),
    /// h = (1 − z) ⊙ o + z ⊙ h
    static func gatedRecurrentUnit(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let fields = RecurrentFields(weights: [30, 31, 32], recurrence: [50, 51, 52], bias: [70, 71, 72])
        try recurrent(layer, "GRU", fields, network)
    }

    private static func recurrent(
        _ layer: Layer, _ name: String, _ fields: RecurrentFields, _ network: NetworkTranslator
    ) throws(FormatError) {
        let activationsField = 10
        let p = try layer.decode(CoreMLRecurrentParameters.self, weights: fields.all.union([activationsField]))
        let (inputs, outputs) = (p.inputSize.count, p.outputSize.count)
        let message = layer.parameters
        var operands: [Graph.ValueID?] = [try sequence(try network.input(layer), network)]
        for (gates, columns) in [(fields.weights, inputs), (fields.recurrence, outputs)] {
            let weights = try RecurrentFields.stacked([try fields.gates(message, gates, [outputs, columns])])
            operands.append(network.writer.constant(weights, "weights"))
        }
        var bias: Graph.ValueID?
        if p.hasBias_p {
            let numbers = try RecurrentFields.withoutSecondBias([try fields.gates(message, fields.bias, [outputs])])
            bias = network.writer.constant(try RecurrentFields.stacked(numbers), "bias")
        }
        operands += [bias, nil]
        if layer.inputs.count > 1 { operands.append(try sequence(try network.input(layer, 1), network)) }
        var attributes = try RecurrentFunctions(message, field: activationsField).attributes
        if p.isReversed { attributes["direction"] = .string("reverse") }
        let results = try network.writer.apply(name, operands, attributes, outputCount: 2)
        let y =
            try p.givesSequence ? steps(results[0], isReversed: p.isReversed, network) : restored(results[1], network)
        try network.output(layer, y, try restored(results[1], network))
    }

    /// i = f(W_i · x + R_i · h + P_i ⊙ c + b_i), likewise forget gate and output gate, z = g(W_z · x + R_z · h + b_z),
    /// c = f ⊙ c + i ⊙ z, h = o ⊙ h(c)
    static func longShortTermMemory(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let (activationsField, weightsField) = (10, 20)
        let p = try layer.decode(CoreMLLSTMParameters.self, weights: [activationsField, weightsField])
        let weights = try LSTMWeights([try layer.parameters.message(weightsField)], p, network)
        var operands = weights.operands(x: try sequence(try network.input(layer), network))
        if layer.inputs.count > 2 {
            operands[5] = try sequence(try network.input(layer, 1), network)
            operands[6] = try sequence(try network.input(layer, 2), network)
        }
        var attributes = try RecurrentFunctions(layer.parameters, field: activationsField).attributes
        if p.isReversed { attributes["direction"] = .string("reverse") }
        if p.options.couplesGates { attributes["input_forget"] = .int(1) }
        let results = try network.writer.apply("LSTM", operands, attributes, outputCount: 3)
        let y =
            try p.options.givesSequence
            ? steps(results[0], isReversed: p.isReversed, network) : restored(results[1], network)
        try network.output(layer, y, try restored(results[1], network), try restored(results[2], network))
    }

    /// The above in both directions, whose results are joined along the channels.
    static func bidirectionalLSTM(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let (forwardField, backwardField, weightsField) = (10, 11, 20)
        let p = try layer.decode(CoreMLLSTMParameters.self, weights: [forwardField, backwardField, weightsField])
        var directions: [CoreMLMessage] = []
        for range in layer.parameters.ranges(weightsField).prefix(3) {
            directions.append(try CoreMLMessage(layer.parameters.content, range))
        }
        guard directions.count == 2 else { throw .invalid("has weights for \(directions.count) directions, not 2") }
        let weights = try LSTMWeights(directions, p, network)
        var operands = weights.operands(x: try sequence(try network.input(layer), network))
        if layer.inputs.count > 1 {
            var states: [Graph.ValueID] = []
            for index in 1...4 { states.append(try sequence(try network.input(layer, index), network)) }
            operands[5] = try network.writer.apply("Concat", [states[0], states[2]], ["axis": .int(0)])
            operands[6] = try network.writer.apply("Concat", [states[1], states[3]], ["axis": .int(0)])
        }
        let forward = try RecurrentFunctions(layer.parameters, field: forwardField)
        let backward = try RecurrentFunctions(layer.parameters, field: backwardField)
        var attributes = forward.joined(with: backward).attributes
        attributes["direction"] = .string("bidirectional")
        if p.options.couplesGates { attributes["input_forget"] = .int(1) }
        let results = try network.writer.apply("LSTM", operands, attributes, outputCount: 3)
        let halves: [String: AttributeValue] = ["axis": .int(0), "num_outputs": .int(2)]
        let hidden = try network.writer.apply("Split", [results[1]], halves, outputCount: 2)
        let cells = try network.writer.apply("Split", [results[2]], halves, outputCount: 2)
        let y: Graph.ValueID
        if p.options.givesSequence {
            let together = try network.writer.apply("Transpose", [results[0]], ["perm": .ints([0, 2, 1, 3])])
            y = try network.reshaped(together, [0, 0, -1])
        } else {
            y = try network.writer.apply("Concat", hidden, ["axis": .int(2)])
        }
        try network.output(
            layer, try restored(y, network), try restored(hidden[0], network), try restored(cells[0], network),
            try restored(hidden[1], network), try restored(cells[1], network))
    }

    /// The states of all steps, in the order of processing.
    private static func steps(
        _ all: Graph.ValueID, isReversed: Bool, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        let direction = try network.writer.constant(integers: [1], "axes")
        let steps = try network.writer.apply("Squeeze", [all, direction])
        guard isReversed else { return try restored(steps, network) }
        let range = [
            steps, try network.writer.constant(integers: [Int(Int32.max)], "starts"),
            try network.writer.constant(integers: [Int(Int32.min)], "ends"),
            try network.writer.constant(integers: [0], "axes"), try network.writer.constant(integers: [-1], "steps"),
        ]
        return try restored(try network.writer.apply("Slice", range), network)
    }

    /// A value as [steps, batch, channels].
    private static func sequence(
        _ id: Graph.ValueID, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        if network.rule == .fiveAxes {
            let flat = try network.shape(id).count == 2 ? id : network.writer.apply("Flatten", [id])
            return try network.writer.apply("Unsqueeze", [flat, try network.writer.constant(integers: [1], "axes")])
        }
        guard try network.shape(id).count == 5 else {
            throw .invalid("its input \(try network.shape(id)) must have five axes")
        }
        return try network.writer.apply("Squeeze", [id, try network.writer.constant(integers: [3, 4], "axes")])
    }

    /// [steps, batch, channels] as other layers know it.
    private static func restored(
        _ id: Graph.ValueID, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        if network.rule == .fiveAxes {
            return try network.writer.apply("Squeeze", [id, try network.writer.constant(integers: [1], "axes")])
        }
        return try network.writer.apply("Unsqueeze", [id, try network.writer.constant(integers: [3, 4], "axes")])
    }
}
