import Graphs
import Tensors

/// The fields of a recurrent layer's weights, by gate in ONNX's order.
struct RecurrentFields {
    let weights: [Int]
    let recurrence: [Int]
    let bias: [Int]

    var all: Set<Int> { Set(weights + recurrence + bias) }

    /// The weights of some gates, stacked along the first axis.
    func gates(_ message: CoreMLMessage, _ fields: [Int], _ shape: [Int]) throws(FormatError) -> Tensor {
        var parts: [Tensor] = []
        for field in fields {
            guard message.contains(field) else { throw .invalid("weights are missing") }
            parts.append(try CoreMLWeights(try message.message(field)).tensor(shape: shape))
        }
        return try Self.joined(parts)
    }

    /// Joins tensors along their first axis.
    private static func joined(_ parts: [Tensor]) throws(FormatError) -> Tensor {
        guard let first = parts.first else { throw .invalid("weights are missing") }
        let shape = [parts.reduce(0) { $0 + $1.shape[0] }] + first.shape.dropFirst()
        do { try Tensor.claim(shape) } catch { throw FormatError(error) }
        return try LayerWriter.tensor(parts.flatMap { $0.elements(as: Float.self) }, shape)
    }

    /// Stacks tensors of equal shapes along a new first axis.
    static func stacked(_ parts: [Tensor]) throws(FormatError) -> Tensor {
        let joined = try joined(parts)
        do {
            return try joined.reshaped(to: [parts.count, joined.shape[0] / parts.count] + joined.shape.dropFirst())
        } catch {
            throw FormatError(error)
        }
    }

    /// The biases of the inputs, followed by zeros for those of the recurrence, which Core ML does not have.
    static func withoutSecondBias(_ parts: [Tensor]) throws(FormatError) -> [Tensor] {
        var results: [Tensor] = []
        for part in parts {
            let zeros = try LayerWriter.tensor([Float](repeating: 0, count: part.elementCount), part.shape)
            results.append(try joined([part, zeros]))
        }
        return results
    }
}

/// The functions of the gates, for one direction or two.
struct RecurrentFunctions {
    private var functions: [RecurrentActivation.Function] = []
    private var alphas: [Float] = []
    private var betas: [Float] = []

    /// - Parameter field: The field with one message per function.
    init(_ message: CoreMLMessage, _ field: some MessageField) throws(FormatError) {
        for range in message.ranges(field).prefix(8) {
            let activation = try CoreMLMessage(message.content, range)
            guard let kind = activation.fields.last,
                let (function, parameterCount) = ActivationField(rawValue: kind.number)?.gateFunction
            else {
                throw .unsupported("an activation that recurrent layers do not have")
            }
            let p: CoreMLActivationParameters = try activation.decode(kind.value)
            functions.append(function)
            if parameterCount > 0 { alphas.append(p.alpha) }
            if parameterCount > 1 { betas.append(p.beta) }
        }
    }

    func joined(with other: RecurrentFunctions) -> RecurrentFunctions {
        var result = self
        result.functions += other.functions
        result.alphas += other.alphas
        result.betas += other.betas
        return result
    }

    /// The attributes of the operator. Functions that the file does not name have their defaults.
    func recurrence(_ direction: Recurrence.Direction) -> Recurrence {
        Recurrence(direction: direction, functions: functions, alphas: alphas, betas: betas)
    }
}

extension CoreMLRecurrentParameters {
    var direction: Recurrence.Direction { isReversed ? .reverse : .forward }
}

extension CoreMLLSTMParameters {
    /// The direction of a layer with one direction.
    var direction: Recurrence.Direction { isReversed ? .reverse : .forward }
}

/// The weights of an LSTM in one direction or two.
struct LSTMWeights {
    private let weights: Graph.ValueID
    private let recurrence: Graph.ValueID
    private let bias: Graph.ValueID?
    private let peepholes: Graph.ValueID?

    /// The smallest limit on cells that can be ignored, since no sequence of usual length reaches it.
    private static let minimumIgnoredClip: Float = 1000
    /// The input, output and forget gates, then the block's input.
    private static let fields = RecurrentFields(
        weights: [1, 4, 2, 3], recurrence: [20, 23, 21, 22], bias: [40, 43, 41, 42])
    /// The input, output and forget gates.
    private static let peepholeFields = [60, 62, 61]

    init(
        _ directions: [CoreMLMessage], _ p: CoreMLLSTMParameters, _ network: NetworkTranslator
    ) throws(FormatError) {
        let clip = p.options.cellClip
        guard clip <= 0 || clip >= Self.minimumIgnoredClip else {
            throw .unsupported("a limit of \(clip) on the cells")
        }
        let (inputs, outputs) = (p.inputSize.count, p.outputSize.count)
        let fields = Self.fields
        var (w, r, b, peep) = ([Tensor](), [Tensor](), [Tensor](), [Tensor]())
        for direction in directions {
            w.append(try fields.gates(direction, fields.weights, [outputs, inputs]))
            r.append(try fields.gates(direction, fields.recurrence, [outputs, outputs]))
            if p.options.hasBias_p || p.options.forgetBias { b.append(try Self.bias(direction, p.options, outputs)) }
            if p.options.hasPeepholes_p { peep.append(try fields.gates(direction, Self.peepholeFields, [outputs])) }
        }
        weights = network.writer.constant(try RecurrentFields.stacked(w), "weights")
        recurrence = network.writer.constant(try RecurrentFields.stacked(r), "recurrence")
        if b.isEmpty {
            bias = nil
        } else {
            let both = try RecurrentFields.stacked(try RecurrentFields.withoutSecondBias(b))
            bias = network.writer.constant(both, "bias")
        }
        peepholes = peep.isEmpty ? nil : network.writer.constant(try RecurrentFields.stacked(peep), "peepholes")
    }

    /// The biases of all gates, with 1 added for the forget gate where the layer asks for it. The weights were read
    /// before, so `outputs` is limited by the size of the file.
    private static func bias(
        _ message: CoreMLMessage, _ options: CoreMLLSTMParameters.Options, _ outputs: Int
    ) throws(FormatError) -> Tensor {
        var numbers = [Float](repeating: 0, count: fields.bias.count * outputs)
        if options.hasBias_p { numbers = try fields.gates(message, fields.bias, [outputs]).elements(as: Float.self) }
        if options.forgetBias { for index in 2 * outputs..<3 * outputs { numbers[index] += 1 } }
        return try LayerWriter.tensor(numbers, [numbers.count])
    }

    /// The operator's inputs: x, weights, recurrence, bias, lengths, two states, peepholes.
    func operands(x: Graph.ValueID) -> [Graph.ValueID?] {
        [x, weights, recurrence, bias, nil, nil, nil, peepholes]
    }
}
