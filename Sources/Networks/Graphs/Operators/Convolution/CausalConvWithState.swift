import Tensors

/// A depthwise convolution of sequences. An element sees itself and the K − 1 elements before it; those before the
/// first element come from an earlier call.
///
/// y[n, c, t] = activation(b[c] + Σ_j w[c, 0, j] · z[n, c, t + j]), where z is past_state followed by x, and
/// present_state the last K − 1 elements of z.
///
/// Shapes: x [N, C, L], w [C, 1, K], b [C] (0), past_state [N, C, K − 1] (0) → y [N, C, L], present_state [N, C, K −
/// 1].
/// Attributes: `activation` (none; silu or swish).
/// Numerics: float64.
/// Reference: https://onnx.ai/onnx/operators/onnx__CausalConvWithState.html
package struct CausalConvWithState: Operator {
    package static let name = "CausalConvWithState"
    package static let inputCount = 2...4
    package static let outputCount = 1...2
    /// Whether the activation is Swish.
    package var isSwish: Bool

    package init(isSwish: Bool = false) {
        self.isSwish = isSwish
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        let name = try attributes.string("activation") ?? "none"
        guard ["none", "silu", "swish"].contains(name) else {
            throw .invalid("attribute \"activation\" is \"\(name)\"; none, silu or swish is expected")
        }
        isSwish = name != "none"
    }

    package var attributes: [String: AttributeValue] { isSwish ? ["activation": .string("swish")] : [:] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, w) = (try inputs.floatingPoint(0), try inputs.floatingPoint(1))
        try inputs.expectSameElementType(0..<inputs.count)
        guard x.rank == 3, w.rank == 3, w.shape[0] == x.shape[1], w.shape[1] == 1, w.shape[2] > 0 else {
            throw .invalid("input \(x.shape) and weight \(w.shape) do not fit")
        }
        let state = [x.shape[0], x.shape[1], w.shape[2] - 1]
        if let bias = inputs.optional(2), bias.shape != [x.shape[1]] {
            throw .invalid("bias \(bias.shape) must have the shape \([x.shape[1]])")
        }
        if let past = inputs.optional(3), past.shape != state {
            throw .invalid("past_state \(past.shape) must have the shape \(state)")
        }
        guard !x.shape[2].addingReportingOverflow(state[2]).overflow else { throw .invalid("the input is too long") }
        return [TensorType(x.elementType, x.shape), TensorType(x.elementType, state)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let shape = outputTypes[0].shape
        let (length, stateLength) = (shape[2], outputTypes[1].shape[2])
        try Tensor.claim([shape[0], shape[1], length + stateLength])
        let x = try inputs.required(0).float64Elements
        let weights = try inputs.required(1).float64Elements
        let bias = inputs.optional(2)?.float64Elements
        let past = inputs.optional(3)?.float64Elements
        let swish = Swish()
        var y: [Double] = []
        var state: [Double] = []
        for row in 0..<shape[0] * shape[1] {
            let channel = row % shape[1]
            let before = row * stateLength..<(row + 1) * stateLength
            var line = past.map { Array($0[before]) } ?? Array(repeating: 0, count: stateLength)
            line += x[row * length..<(row + 1) * length]
            for first in 0..<length {
                var sum = bias?[channel] ?? 0
                for tap in 0...stateLength { sum += weights[channel * (stateLength + 1) + tap] * line[first + tap] }
                y.append(isSwish ? swish.apply(sum) : sum)
            }
            state += line.suffix(stateLength)
        }
        return [
            try Tensor(y, as: outputTypes[0].elementType, shape: shape),
            try Tensor(state, as: outputTypes[1].elementType, shape: outputTypes[1].shape),
        ]
    }
}
