import Tensors

/// Scaled dot-product attention of several heads.
///
/// y = softmax(softcap(scale · q · kᵀ) + bias) · v for each head, where bias is the mask, or −∞ for a hidden key, and
/// softcap(s) = c · tanh(s / c). Several heads of q share one of k and v. A query for which all keys are hidden gives
/// zeros.
///
/// Query i has the position offset + i among the keys, where the offset is P, or nonpad_kv_seqlen − L if that is given,
/// or 0. A query at position p sees the keys j with p − left_window_size ≤ j ≤ p + right_window_size, and only j ≤ p
/// where attention is causal.
///
/// Shapes: q [N, H, L, E], k [N, G, S, E], v [N, G, S, F], or with three axes [N, L, H · E] …; attn_mask broadcasting
/// to [N, H, L, total] (bool or added; a last extent below total is not seen beyond), past_key [N, G, P, E], past_value
/// [N, G, P, F], nonpad_kv_seqlen [N] (all four optional) → y [N, H, L, F] or [N, L, H · F], present_key and
/// present_value [N, G, P + S, …], scores [N, H, L, P + S].
/// Attributes: `is_causal` (0), `scale` (1 / √E), `softcap` (0: none), `q_num_heads`, `kv_num_heads` (needed with three
/// axes), `left_window_size`, `right_window_size` (−1: no bound), `qk_matmul_output_mode` (0: scaled products; 1: after
/// softcap; 2: with the bias; 3: after softmax); `softmax_precision` is not used.
/// Numerics: float64, as in ONNX 1.21 and later for every version of the operator. Earlier, the bias came before
/// softcap, and a query for which all keys are hidden gave NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__Attention.html
package struct Attention: Operator {
    package static let name = "Attention"
    package static let inputCount = 3...7
    package static let outputCount = 1...4
    package var isCausal: Bool
    package var scale: Float?
    package var softcap: Float
    package var queryHeads: Int?
    package var keyHeads: Int?
    /// The number of positions before a query's own that the query sees; nil for all.
    package var leftWindow: Int?
    /// The number of positions after a query's own that the query sees; nil for all.
    package var rightWindow: Int?
    /// The stage of the scores that is an output.
    package var scoreMode: Int

    package init(
        isCausal: Bool = false, scale: Float? = nil, softcap: Float = 0, queryHeads: Int? = nil, keyHeads: Int? = nil,
        leftWindow: Int? = nil, rightWindow: Int? = nil
    ) {
        self.isCausal = isCausal
        self.scale = scale
        self.softcap = softcap
        self.queryHeads = queryHeads
        self.keyHeads = keyHeads
        self.leftWindow = leftWindow
        self.rightWindow = rightWindow
        scoreMode = 0
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        attributes.ignore("softmax_precision")
        isCausal = try attributes.bool("is_causal", default: false)
        scale = try attributes.float("scale")
        softcap = try attributes.float("softcap", default: 0)
        queryHeads = try attributes.int("q_num_heads")
        keyHeads = try attributes.int("kv_num_heads")
        leftWindow = try Self.window("left_window_size", &attributes)
        rightWindow = try Self.window("right_window_size", &attributes)
        scoreMode = try attributes.int("qk_matmul_output_mode", default: 0)
        guard (0...3).contains(scoreMode) else {
            throw .invalid("attribute \"qk_matmul_output_mode\" is \(scoreMode); 0 to 3 is expected")
        }
        guard queryHeads ?? 1 > 0, keyHeads ?? 1 > 0 else { throw .invalid("the number of heads must be positive") }
    }

    private static func window(_ name: String, _ attributes: inout AttributeReader) throws(OperatorError) -> Int? {
        let size = try attributes.int(name, default: -1)
        guard size >= -1 else { throw .invalid("attribute \"\(name)\" is \(size); −1 or more is expected") }
        return size < 0 ? nil : size
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = isCausal ? ["is_causal": .int(1)] : [:]
        if let scale { values["scale"] = .float(scale) }
        if softcap != 0 { values["softcap"] = .float(softcap) }
        if let queryHeads { values["q_num_heads"] = .int(Int64(queryHeads)) }
        if let keyHeads { values["kv_num_heads"] = .int(Int64(keyHeads)) }
        if let leftWindow { values["left_window_size"] = .int(Int64(leftWindow)) }
        if let rightWindow { values["right_window_size"] = .int(Int64(rightWindow)) }
        if scoreMode != 0 { values["qk_matmul_output_mode"] = .int(Int64(scoreMode)) }
        return values
    }

    /// A shape with four axes: batch, heads, sequence, features.
    private func split(_ shape: [Int], heads: Int?, _ name: String) throws(OperatorError) -> [Int] {
        if shape.count == 4 { return shape }
        guard shape.count == 3, let heads, shape[2] % heads == 0 else {
            throw .invalid("\(name) \(shape) must have four axes, or three and a number of heads that fits")
        }
        return [shape[0], heads, shape[1], shape[2] / heads]
    }

    /// A view with four axes: batch, heads, sequence, features.
    private func split(_ tensor: Tensor, heads: Int?, _ name: String) throws -> Tensor {
        let shape = try split(tensor.shape, heads: heads, name)
        if tensor.shape.count == 4 { return tensor }
        return try tensor.reshaped(to: [shape[0], shape[2], shape[1], shape[3]]).transposed([0, 2, 1, 3])
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let type = try inputs.floatingPoint(0).elementType
        let q = try split(try inputs.floatingPoint(0).shape, heads: queryHeads, "query")
        let k = try split(try inputs.floatingPoint(1).shape, heads: keyHeads, "key")
        let v = try split(try inputs.floatingPoint(2).shape, heads: keyHeads, "value")
        guard q[0] == k[0], k[..<3] == v[..<3], q[3] == k[3], k[1] > 0, q[1] % k[1] == 0 else {
            throw .invalid("query \(q), key \(k) and value \(v) do not fit")
        }
        let (past, pastValue) = (inputs.optional(4)?.shape, inputs.optional(5)?.shape)
        if let past, past != [k[0], k[1], past.count > 2 ? past[2] : 0, k[3]] {
            throw .invalid("past_key \(past) does not fit key \(k)")
        }
        guard (past == nil) == (pastValue == nil), pastValue == past.map({ [v[0], v[1], $0[2], v[3]] }) else {
            throw .invalid("past_value \(pastValue ?? []) does not fit past_key \(past ?? [])")
        }
        let (total, overflow) = k[2].addingReportingOverflow(past?[2] ?? 0)
        guard !overflow else { throw .invalid("the keys are too many") }
        if let mask = inputs.optional(3) { try check(mask, [q[0], q[1], q[2], total]) }
        if let lengths = inputs.optional(6), lengths.shape != [q[0]] {
            throw .invalid("nonpad_kv_seqlen \(lengths.shape) must have the shape \([q[0]])")
        }
        let y =
            try inputs.required(0).rank == 3
            ? [q[0], q[2], try [q[1], v[3]].product(of: "heads times features")] : [q[0], q[1], q[2], v[3]]
        return [
            TensorType(type, y), TensorType(try inputs.required(1).elementType, [k[0], k[1], total, k[3]]),
            TensorType(try inputs.required(2).elementType, [v[0], v[1], total, v[3]]),
            TensorType(type, [q[0], q[1], q[2], total]),
        ]
    }

    private func check(_ mask: TensorType, _ scores: [Int]) throws(OperatorError) {
        guard mask.elementType == .bool || mask.elementType.isFloatingPoint, (1...4).contains(mask.rank),
            mask.shape[mask.rank - 1] <= scores[3]
        else { throw .invalid("attn_mask \(mask) does not fit scores \(scores)") }
        try Broadcasting.check(mask.shape.dropLast() + [1], to: scores, "attn_mask")
    }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        let depth = (inputs.optional(0)?.shape.last ?? 0).addingReportingOverflow(outputs.first?.shape.last ?? 0)
        let scores = outputs.count > 3 ? outputs[3].shape : []
        return OperatorCost(
            multiplyAdds: (scores + [depth.partialValue]).saturatingProduct, inputs: inputs, outputs: outputs)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let q = try split(try inputs.required(0), heads: queryHeads, "query")
        let keys = try present(try split(try inputs.required(1), heads: keyHeads, "key"), inputs.optional(4))
        let values = try present(try split(try inputs.required(2), heads: keyHeads, "value"), inputs.optional(5))
        let scores = outputTypes[3].shape
        let (rows, total, heads) = (scores[2], scores[3], scores[1])
        let bias = try AttentionBias(
            mask: inputs.optional(3), lengths: inputs.optional(6), pastCount: inputs.optional(4)?.shape[2],
            scores: scores, left: leftWindow, right: isCausal ? 0 : rightWindow)
        let factor = scale.map(Double.init) ?? 1 / Double(max(q.shape[3], 1)).squareRoot()
        var stages: Tensor?
        let y = try Tensor(TensorType(.float64, [scores[0], heads, rows, values.shape[3]])) { y in
            stages = try Tensor(outputTypes[3]) { stages in
                guard let target = y.baseAddress, let first = stages.baseAddress, !stages.isEmpty else { return }
                for head in 0..<scores[0] * heads {
                    let (image, group) = (head / heads, head % heads / (heads / keys.shape[1]))
                    let own = UnsafeMutableBufferPointer(start: first + head * rows * total, count: rows * total)
                    let query = try matrix(q, image, head % heads)
                    let key = try matrix(keys, image, group).transposed([1, 0])
                    try MatrixProduct.multiply(query, key, into: first + head * rows * total)
                    for index in own.indices { own[index] *= factor }
                    let weights = try weights(own, bias, head: head, [rows, total])
                    try MatrixProduct.multiply(
                        weights, try matrix(values, image, group), into: target + head * rows * values.shape[3])
                }
            }
        }
        let isPacked = try inputs.required(0).shape.count == 3
        let result = isPacked ? try y.transposed([0, 2, 1, 3]).reshaped(to: outputTypes[0].shape) : y
        return [try result.converted(to: outputTypes[0].elementType), keys, values] + (stages.map { [$0] } ?? [])
    }

    /// The weights of every key; `scores` is replaced by the requested stage of the scores.
    private func weights(
        _ scores: UnsafeMutableBufferPointer<Double>, _ bias: AttentionBias, head: Int, _ shape: [Int]
    ) throws -> Tensor {
        var weights = Array(scores)
        let normalization = Softmax()
        for row in 0..<shape[0] {
            let range = row * shape[1]..<(row + 1) * shape[1]
            var line = Array(weights[range])
            if softcap > 0 {
                let cap = Double(softcap)
                for index in line.indices { line[index] = cap * (line[index] / cap).hyperbolicTangent }
            }
            if scoreMode == 1 { for (index, value) in zip(range, line) { scores[index] = value } }
            bias.add(to: &line, head: head, row: row)
            if scoreMode == 2 { for (index, value) in zip(range, line) { scores[index] = value } }
            if line.allSatisfy({ $0 == -.infinity }) {
                for index in line.indices { line[index] = 0 }
            } else {
                normalization.normalize(&line)
            }
            if scoreMode == 3 { for (index, value) in zip(range, line) { scores[index] = value } }
            weights.replaceSubrange(range, with: line)
        }
        return try Tensor(weights, shape: shape)
    }

    /// The past keys or values, followed by the new ones.
    private func present(_ new: Tensor, _ past: Tensor?) throws -> Tensor {
        guard let past else { return new }
        let concat = Concat(axis: 2)
        let types = try concat.outputTypes(for: [past, new].map { TensorType($0, keepingContent: false) })
        return try concat.evaluate([past, new], outputTypes: types)[0]
    }

    private func matrix(_ tensor: Tensor, _ image: Int, _ head: Int) throws -> Tensor {
        let part = try tensor.sliced(axis: 0, image..<image + 1).sliced(axis: 1, head..<head + 1)
        return Tensor(
            elementType: part.elementType, shape: Array(part.shape[2...]), strides: Array(part.strides[2...]),
            offset: part.offset, storage: part.storage)
    }
}
