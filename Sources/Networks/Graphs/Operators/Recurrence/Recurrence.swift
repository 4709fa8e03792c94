import Tensors

/// The attributes that RNN, GRU and LSTM share.
///
/// Attributes: `hidden_size` (the weights'), `direction` (forward; reverse, bidirectional), `activations`,
/// `activation_alpha`, `activation_beta`, `clip` (none), `layout` (0; 1: the batch is the first axis).
package struct Recurrence: Sendable, Equatable {
    package enum Direction: String, Sendable, CaseIterable { case forward, reverse, bidirectional }

    package var direction: Direction
    /// The functions of the forward direction's gates, then those of the reverse one's; empty means the defaults.
    package var functions: [RecurrentActivation.Function]
    package var alphas: [Float]
    package var betas: [Float]
    /// The bound of arguments of functions, which are clipped to −clip...clip.
    package var clip: Float?
    package var isBatchFirst: Bool
    private var hiddenSize: Int?

    package init(
        direction: Direction = .forward, functions: [RecurrentActivation.Function] = [], alphas: [Float] = [],
        betas: [Float] = [], isBatchFirst: Bool = false
    ) {
        self.direction = direction
        self.functions = functions
        self.alphas = alphas
        self.betas = betas
        self.isBatchFirst = isBatchFirst
    }

    init(_ attributes: inout AttributeReader) throws(OperatorError) {
        direction = try attributes.choice("direction") ?? .forward
        functions = []
        for name in try attributes.strings("activations") ?? [] {
            let known = RecurrentActivation.Function.allCases.first { $0.rawValue.lowercased() == name.lowercased() }
            guard let known else { throw .invalid("attribute \"activations\" names \"\(name)\", which is not known") }
            functions.append(known)
        }
        alphas = try attributes.floats("activation_alpha") ?? []
        betas = try attributes.floats("activation_beta") ?? []
        clip = try attributes.float("clip")
        isBatchFirst = try attributes.bool("layout", default: false)
        hiddenSize = try attributes.int("hidden_size")
        if let clip, !(clip >= 0) { throw .invalid("attribute \"clip\" is \(clip); at least 0 is expected") }
    }

    var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if direction != .forward { values["direction"] = .string(direction.rawValue) }
        if !functions.isEmpty { values["activations"] = .strings(functions.map(\.rawValue)) }
        if !alphas.isEmpty { values["activation_alpha"] = .floats(alphas) }
        if !betas.isEmpty { values["activation_beta"] = .floats(betas) }
        if let clip { values["clip"] = .float(clip) }
        if isBatchFirst { values["layout"] = .int(1) }
        if let hiddenSize { values["hidden_size"] = .int(Int64(hiddenSize)) }
        return values
    }

    package var directionCount: Int { direction == .bidirectional ? 2 : 1 }

    /// The functions of each direction.
    package func activations(_ defaults: [RecurrentActivation.Function]) throws(OperatorError)
        -> [[RecurrentActivation]]
    {
        let all = functions.isEmpty ? (0..<directionCount).flatMap { _ in defaults } : functions
        guard all.count == defaults.count * directionCount else {
            throw .invalid(
                "attribute \"activations\" has \(all.count) functions, not \(defaults.count * directionCount)")
        }
        var (alphas, betas) = (self.alphas[...], self.betas[...])
        let resolved = all.map { RecurrentActivation($0, alphas: &alphas, betas: &betas) }
        return (0..<directionCount).map { Array(resolved[$0 * defaults.count..<($0 + 1) * defaults.count]) }
    }

    /// The extents of a network.
    package struct Extents {
        package var time: Int
        package var batch: Int
        package var input: Int
        package var hidden: Int
    }

    /// Checks the inputs that all networks have: x, w, r, b, sequence_lens, initial_h.
    package func extents(_ inputs: [TensorType?], gates: Int) throws(OperatorError) -> Extents {
        let (x, w, r) = (try inputs.floatingPoint(0), try inputs.floatingPoint(1), try inputs.floatingPoint(2))
        guard x.rank == 3, w.rank == 3, r.rank == 3 else {
            throw .invalid("input \(x.shape) and weights \(w.shape), \(r.shape) must have three axes")
        }
        let hidden = r.shape[2]
        let rows = try [gates, hidden].product(of: "gates times hidden size")
        guard hiddenSize ?? hidden == hidden else {
            throw .invalid("attribute \"hidden_size\" is \(hiddenSize ?? 0), but the weights are \(r.shape)")
        }
        let extents = Extents(
            time: x.shape[isBatchFirst ? 1 : 0], batch: x.shape[isBatchFirst ? 0 : 1], input: x.shape[2],
            hidden: hidden)
        try expect(inputs, 1, [directionCount, rows, extents.input], "weights")
        try expect(inputs, 2, [directionCount, rows, hidden], "recurrent weights")
        try expect(inputs, 3, [directionCount, try [rows, 2].product(of: "bias")], "bias")
        try expect(inputs, 4, [extents.batch], "sequence_lens")
        try expect(inputs, 5, stateShape(extents), "initial_h")
        return extents
    }

    /// Checks the shape of an input when it is present.
    func expect(_ inputs: [TensorType?], _ index: Int, _ shape: [Int], _ name: String) throws(OperatorError) {
        guard let type = inputs.optional(index), type.shape != shape else { return }
        throw .invalid("\(name) \(type.shape) must have the shape \(shape)")
    }

    func stateShape(_ extents: Extents) -> [Int] {
        isBatchFirst
            ? [extents.batch, directionCount, extents.hidden] : [directionCount, extents.batch, extents.hidden]
    }

    func sequenceShape(_ extents: Extents) -> [Int] {
        isBatchFirst
            ? [extents.batch, extents.time, directionCount, extents.hidden]
            : [extents.time, directionCount, extents.batch, extents.hidden]
    }
}
