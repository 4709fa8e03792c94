import Graphs
import Tensors

extension LayerKind {
    /// The fields for the gates' functions of LSTMs in both directions, and for their weights, one message per
    /// direction.
    private enum RecurrentField: Int, MessageField {
        case activations = 10, backwardActivations
        case lstmWeights = 20
    }

    /// h = f(W · x + R · h + b)
    static func simpleRecurrent(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try recurrent(layer, RecurrentFields(weights: [30], recurrence: [31], bias: [32]), network) {
            RNN(recurrence: $0)
        }
    }

    /// z = f(W_z · x + R_z · h + b_z), r = f(W_r · x + R_r · h + b_r), o = g(W_o · x + R_o · (r ⊙ h) + b_o),
    /// h = (1 − z) ⊙ o + z ⊙ h
    static func gatedRecurrentUnit(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let fields = RecurrentFields(weights: [30, 31, 32], recurrence: [50, 51, 52], bias: [70, 71, 72])
        try recurrent(layer, fields, network) { GRU(recurrence: $0) }
    }

    private static func recurrent(
        _ layer: Layer, _ fields: RecurrentFields, _ network: NetworkTranslator,
        operation: (Recurrence) -> any Operator
    ) throws(FormatError) {
        let p: CoreMLRecurrentParameters = try layer.parameters.decode(
            omitting: fields.all.union([RecurrentField.activations.rawValue]))
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
        let recurrence = try RecurrentFunctions(message, RecurrentField.activations).recurrence(p.direction)
        let results = try network.writer.apply(operation(recurrence), operands, outputCount: 2)
        let y =
            try p.givesSequence ? steps(results[0], isReversed: p.isReversed, network) : restored(results[1], network)
        try network.output(layer, y, try restored(results[1], network))
    }

    /// i = f(W_i · x + R_i · h + P_i ⊙ c + b_i); the forget gate and the output gate have the same form; z = g(W_z · x
    /// + R_z · h + b_z), c = f ⊙ c + i ⊙ z, h = o ⊙ h(c).
    static func longShortTermMemory(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLLSTMParameters.self, without: RecurrentField.self)
        let weights = try LSTMWeights([try layer.parameters.message(RecurrentField.lstmWeights)], p, network)
        var operands = weights.operands(x: try sequence(try network.input(layer), network))
        if layer.inputs.count > 2 {
            operands[5] = try sequence(try network.input(layer, 1), network)
            operands[6] = try sequence(try network.input(layer, 2), network)
        }
        let functions = try RecurrentFunctions(layer.parameters, RecurrentField.activations)
        let lstm = LSTM(
            recurrence: functions.recurrence(p.direction), couplesInputAndForget: p.options.couplesGates)
        let results = try network.writer.apply(lstm, operands, outputCount: 3)
        let y =
            try p.options.givesSequence
            ? steps(results[0], isReversed: p.isReversed, network) : restored(results[1], network)
        try network.output(layer, y, try restored(results[1], network), try restored(results[2], network))
    }

    /// An LSTM in both directions. The results are joined along the channels.
    static func bidirectionalLSTM(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLLSTMParameters.self, without: RecurrentField.self)
        var directions: [CoreMLMessage] = []
        for range in layer.parameters.ranges(RecurrentField.lstmWeights).prefix(3) {
            directions.append(try CoreMLMessage(layer.parameters.content, range))
        }
        guard directions.count == 2 else { throw .invalid("has weights for \(directions.count) directions, not 2") }
        let weights = try LSTMWeights(directions, p, network)
        var operands = weights.operands(x: try sequence(try network.input(layer), network))
        if layer.inputs.count > 1 {
            var states: [Graph.ValueID] = []
            for index in 1...4 { states.append(try sequence(try network.input(layer, index), network)) }
            operands[5] = try network.writer.apply(Concat(axis: 0), [states[0], states[2]])
            operands[6] = try network.writer.apply(Concat(axis: 0), [states[1], states[3]])
        }
        let forward = try RecurrentFunctions(layer.parameters, RecurrentField.activations)
        let backward = try RecurrentFunctions(layer.parameters, RecurrentField.backwardActivations)
        let lstm = LSTM(
            recurrence: forward.joined(with: backward).recurrence(.bidirectional),
            couplesInputAndForget: p.options.couplesGates)
        let results = try network.writer.apply(lstm, operands, outputCount: 3)
        let hidden = try network.writer.split(results[1], axis: 0, sizes: nil, count: 2)
        let cells = try network.writer.split(results[2], axis: 0, sizes: nil, count: 2)
        let y: Graph.ValueID
        if p.options.givesSequence {
            let together = try network.writer.transposed(results[0], [0, 2, 1, 3])
            y = try network.writer.reshaped(together, [0, 0, -1])
        } else {
            y = try network.writer.apply(Concat(axis: 2), hidden)
        }
        try network.output(
            layer, try restored(y, network), try restored(hidden[0], network), try restored(cells[0], network),
            try restored(hidden[1], network), try restored(cells[1], network))
    }

    /// The states of all steps, in the order in which they are computed.
    private static func steps(
        _ all: Graph.ValueID, isReversed: Bool, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        let steps = try network.writer.squeezed(all, axes: [1])
        return try restored(isReversed ? try network.writer.reversed(steps, axes: [0]) : steps, network)
    }

    /// Reshapes a value to [steps, batch, channels].
    private static func sequence(
        _ id: Graph.ValueID, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        if network.rule == .fiveAxes {
            let flat = try network.shape(id).count == 2 ? id : network.writer.apply(Flatten(), [id])
            return try network.writer.unsqueezed(flat, axes: [1])
        }
        guard try network.shape(id).count == 5 else {
            throw .invalid("its input \(try network.shape(id)) must have five axes")
        }
        return try network.writer.squeezed(id, axes: [3, 4])
    }

    /// Reshapes [steps, batch, channels] to the axes that other layers expect.
    private static func restored(
        _ id: Graph.ValueID, _ network: NetworkTranslator
    ) throws(FormatError) -> Graph.ValueID {
        try network.rule == .fiveAxes
            ? network.writer.squeezed(id, axes: [1]) : network.writer.unsqueezed(id, axes: [3, 4])
    }
}
