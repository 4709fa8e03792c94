import Tensors

/// A recurrent network of gated recurrent units.
///
/// z = f(W_z · xₜ + R_z · hₜ₋₁ + b), r = f(W_r · xₜ + R_r · hₜ₋₁ + b), n = g(W_h · xₜ + R_h · (r ⊙ hₜ₋₁) + b), or with
/// `linear_before_reset` n = g(W_h · xₜ + b_W + r ⊙ (R_h · hₜ₋₁ + b_R)), hₜ = (1 − z) ⊙ n + z ⊙ hₜ₋₁
///
/// Shapes: x [T, N, I], w [D, 3 · H, I], r [D, 3 · H, H] (gates z, r, h), b [D, 6 · H], sequence_lens [N], initial_h
/// [D, N, H] (the last three optional) → y [T, D, N, H], y_h [D, N, H]; D is the number of directions. With `layout` 1
/// x [N, T, I], initial_h and y_h [N, D, H], y [N, T, D, H].
/// Attributes: `activations` (Sigmoid, Tanh), `linear_before_reset` (0) and those of ``Recurrence``.
/// Numerics: sums in float64; y is 0 after the end of a sequence.
/// Reference: https://onnx.ai/onnx/operators/onnx__GRU.html
package struct GRU: RecurrentNetwork {
    package static let name = "GRU"
    package static let inputCount = 3...6
    package static let outputCount = 1...2
    package static let gateCount = 3
    package static let defaultActivations: [RecurrentActivation.Function] = [.sigmoid, .tanh]
    package var recurrence: Recurrence
    package var isLinearBeforeReset: Bool

    package init(recurrence: Recurrence = Recurrence(), isLinearBeforeReset: Bool = false) {
        self.recurrence = recurrence
        self.isLinearBeforeReset = isLinearBeforeReset
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        recurrence = try Recurrence(&attributes)
        isLinearBeforeReset = try attributes.bool("linear_before_reset", default: false)
    }

    package var attributes: [String: AttributeValue] {
        var values = recurrence.attributes
        if isLinearBeforeReset { values["linear_before_reset"] = .int(1) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        try stateTypes(inputs, hasCell: false)
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        try run(inputs, outputTypes, hasCell: false)
    }

    package func advance(
        _ state: inout RecurrentState, gates: ArraySlice<Double>, _ layer: RecurrentLayer
    ) {
        let (previous, hidden, first) = (state.hidden, layer.hidden, gates.startIndex)
        var resets: [Double] = []
        for index in 0..<hidden {
            let gate = gates[first + hidden + index] + layer.product(gate: 1, index, previous)
            resets.append(layer.activation(0, gate))
        }
        let kept = isLinearBeforeReset ? previous : zip(resets, previous).map { $0 * $1 }
        for index in 0..<hidden {
            let update = layer.activation(0, gates[first + index] + layer.product(gate: 0, index, previous))
            let recurrent = layer.product(gate: 2, index, kept)
            let input = gates[first + 2 * hidden + index]
            let candidate = layer.activation(1, input + (isLinearBeforeReset ? resets[index] * recurrent : recurrent))
            state.hidden[index] = (1 - update) * candidate + update * previous[index]
        }
    }
}
