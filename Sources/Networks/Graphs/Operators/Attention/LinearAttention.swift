import Tensors

/// Attention without softmax: each head has a matrix that every element of a sequence updates and reads.
///
/// o_t = scale · q_tᵀ · S_t for each head, where S_t comes from S = S_{t−1} by the update rule:
///
///     linear        S + k_t ⊗ v_t
///     gated         D · S + k_t ⊗ v_t                        D = exp(decay_t), for rows or for all of S
///     delta         S + beta_t · k_t ⊗ (v_t − Sᵀ · k_t)
///     gated_delta   D · S + beta_t · k_t ⊗ (v_t − (D · S)ᵀ · k_t)
///
/// Several heads of q share one of k and v.
///
/// Shapes: q [N, T, H · E], k [N, T, G · E], v [N, T, G · F], past_state [N, G, E, F] (0), decay [N, T, G · E] or [N,
/// T, G], beta [N, T, G] or [N, T, 1] → o [N, T, H · F], present_state [N, G, E, F].
/// Attributes: `q_num_heads` and `kv_num_heads` (required), `scale` (0: 1 / √E), `update_rule` (gated_delta);
/// `chunk_size` is not used.
/// Numerics: float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__LinearAttention.html
package struct LinearAttention: Operator {
    package enum UpdateRule: String, Sendable, CaseIterable {
        case linear, gated, delta
        case gatedDelta = "gated_delta"

        var isGated: Bool { self == .gated || self == .gatedDelta }
        var isDelta: Bool { self == .delta || self == .gatedDelta }
    }

    package static let name = "LinearAttention"
    package static let inputCount = 3...6
    package static let outputCount = 1...2
    package var queryHeads: Int
    package var keyHeads: Int
    package var scale: Float
    package var rule: UpdateRule

    package init(queryHeads: Int, keyHeads: Int, scale: Float = 0, rule: UpdateRule = .gatedDelta) {
        self.queryHeads = queryHeads
        self.keyHeads = keyHeads
        self.scale = scale
        self.rule = rule
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("chunk_size")
        guard let queryHeads = try attributes.int("q_num_heads"), let keyHeads = try attributes.int("kv_num_heads"),
            queryHeads > 0, keyHeads > 0, queryHeads % keyHeads == 0
        else { throw .invalid("attribute \"q_num_heads\" must be a positive multiple of \"kv_num_heads\"") }
        (self.queryHeads, self.keyHeads) = (queryHeads, keyHeads)
        scale = try attributes.float("scale", default: 0)
        rule = try attributes.choice("update_rule") ?? .gatedDelta
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [
            "q_num_heads": .int(Int64(queryHeads)), "kv_num_heads": .int(Int64(keyHeads)),
        ]
        if scale != 0 { values["scale"] = .float(scale) }
        if rule != .gatedDelta { values["update_rule"] = .string(rule.rawValue) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (q, k, v) = (try inputs.floatingPoint(0), try inputs.floatingPoint(1), try inputs.floatingPoint(2))
        try inputs.expectSameElementType(0..<3)
        guard q.rank == 3, k.rank == 3, v.rank == 3, q.shape[..<2] == k.shape[..<2], q.shape[..<2] == v.shape[..<2],
            q.shape[2] % queryHeads == 0, k.shape[2] % keyHeads == 0, v.shape[2] % keyHeads == 0,
            q.shape[2] / queryHeads == k.shape[2] / keyHeads
        else { throw .invalid("query \(q.shape), key \(k.shape) and value \(v.shape) do not fit") }
        let (batch, length) = (q.shape[0], q.shape[1])
        let (keySize, valueSize) = (k.shape[2] / keyHeads, v.shape[2] / keyHeads)
        let state = [batch, keyHeads, keySize, valueSize]
        if let past = inputs.optional(3), past.shape != state {
            throw .invalid("past_state \(past.shape) must have the shape \(state)")
        }
        if rule.isGated {
            let decay = try inputs.floatingPoint(4)
            guard [[batch, length, keyHeads], [batch, length, k.shape[2]]].contains(decay.shape) else {
                throw .invalid("decay \(decay.shape) does not fit key \(k.shape)")
            }
        }
        if rule.isDelta {
            let beta = try inputs.floatingPoint(5)
            guard [[batch, length, keyHeads], [batch, length, 1]].contains(beta.shape) else {
                throw .invalid("beta \(beta.shape) does not fit key \(k.shape)")
            }
        }
        let width = try [queryHeads, valueSize].product(of: "heads times features")
        return [
            TensorType(q.elementType, [batch, length, width]),
            TensorType(inputs.optional(3)?.elementType ?? q.elementType, state),
        ]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (output, stateShape) = (outputTypes[0].shape, outputTypes[1].shape)
        let (keySize, valueSize) = (stateShape[2], stateShape[3])
        try Tensor.claim(output)
        try Tensor.claim(stateShape)
        let q = try inputs.required(0).float64Elements
        let k = try inputs.required(1).float64Elements
        let v = try inputs.required(2).float64Elements
        let decay = rule.isGated ? try inputs.required(4).float64Elements : []
        let beta = rule.isDelta ? try inputs.required(5).float64Elements : []
        let places = output[0] * output[1]
        let decayWidth = decay.count / max(places, 1)
        let betaWidth = beta.count / max(places, 1)
        let factor = scale == 0 ? 1 / Double(max(keySize, 1)).squareRoot() : Double(scale)
        let shared = queryHeads / keyHeads
        var states = inputs.optional(3)?.float64Elements ?? Array(repeating: 0, count: stateShape.reduce(1, *))
        var y: [Double] = []
        for place in 0..<places {
            for head in 0..<keyHeads {
                let first = (place / output[1] * keyHeads + head) * keySize * valueSize
                var state = Array(states[first..<first + keySize * valueSize])
                let keys = (place * keyHeads + head) * keySize
                let values = (place * keyHeads + head) * valueSize
                if rule.isGated {
                    let start = place * decayWidth + (decayWidth == keyHeads ? head : head * keySize)
                    for index in state.indices {
                        state[index] *= decay[start + (decayWidth == keyHeads ? 0 : index / valueSize)].exponential
                    }
                }
                var news = Array(v[values..<values + valueSize])
                if rule.isDelta {
                    for index in state.indices { news[index % valueSize] -= state[index] * k[keys + index / valueSize] }
                    let rate = beta[place * betaWidth + (betaWidth == 1 ? 0 : head)]
                    for index in news.indices { news[index] *= rate }
                }
                for index in state.indices { state[index] += k[keys + index / valueSize] * news[index % valueSize] }
                states.replaceSubrange(first..<first + state.count, with: state)
                for queryHead in head * shared..<(head + 1) * shared {
                    let query = (place * queryHeads + queryHead) * keySize
                    var sums = [Double](repeating: 0, count: valueSize)
                    for index in state.indices {
                        sums[index % valueSize] += factor * q[query + index / valueSize] * state[index]
                    }
                    y += sums
                }
            }
        }
        return [
            try Tensor(y, as: outputTypes[0].elementType, shape: output),
            try Tensor(states, as: outputTypes[1].elementType, shape: stateShape),
        ]
    }
}
