import Tensors

/// A recurrent network of long short-term memory units.
///
/// i = f(W_i · xₜ + R_i · hₜ₋₁ + P_i ⊙ cₜ₋₁ + b), likewise the forget gate f (1 − i with `input_forget`), c̃ = g(W_c ·
/// xₜ + R_c · hₜ₋₁ + b), cₜ = f ⊙ cₜ₋₁ + i ⊙ c̃, o = f(W_o · xₜ + R_o · hₜ₋₁ + P_o ⊙ cₜ + b), hₜ = o ⊙ h(cₜ)
///
/// Shapes: x [T, N, I], w [D, 4 · H, I], r [D, 4 · H, H] (gates i, o, f, c), b [D, 8 · H], sequence_lens [N], initial_h
/// and initial_c [D, N, H], p [D, 3 · H] (i, o, f; the last five optional) → y [T, D, N, H], y_h and y_c [D, N, H]; D
/// is the number of directions. With `layout` 1 x [N, T, I], states [N, D, H], y [N, T, D, H].
/// Attributes: `activations` (Sigmoid, Tanh, Tanh), `input_forget` (0) and those of ``Recurrence``.
/// Numerics: sums in float64; y is 0 after the end of a sequence.
/// Reference: https://onnx.ai/onnx/operators/onnx__LSTM.html
package struct LSTM: RecurrentNetwork {
    package static let name = "LSTM"
    package static let inputCount = 3...8
    package static let outputCount = 1...3
    package static let gateCount = 4
    package static let defaultActivations: [RecurrentActivation.Function] = [.sigmoid, .tanh, .tanh]
    package var recurrence: Recurrence
    /// Whether the forget gate is 1 minus the input gate.
    package var couplesInputAndForget: Bool

    package init(recurrence: Recurrence = Recurrence(), couplesInputAndForget: Bool = false) {
        self.recurrence = recurrence
        self.couplesInputAndForget = couplesInputAndForget
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        recurrence = try Recurrence(&attributes)
        couplesInputAndForget = try attributes.bool("input_forget", default: false)
    }

    package var attributes: [String: AttributeValue] {
        var values = recurrence.attributes
        if couplesInputAndForget { values["input_forget"] = .int(1) }
        return values
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let types = try stateTypes(inputs, hasCell: true)
        try recurrence.expect(inputs, 6, types[1].shape, "initial_c")
        let hidden = types[1].shape[2]
        let peepholes = [recurrence.directionCount, try [hidden, 3].product(of: "peepholes")]
        try recurrence.expect(inputs, 7, peepholes, "peepholes")
        return types
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        try run(inputs, outputTypes, hasCell: true)
    }

    package func advance(
        _ state: inout RecurrentState, gates: ArraySlice<Double>, _ layer: RecurrentLayer
    ) {
        let (previous, hidden) = (state.hidden, layer.hidden)
        for index in 0..<hidden {
            func sum(_ gate: Int) -> Double {
                gates[gates.startIndex + gate * hidden + index] + layer.product(gate: gate, index, previous)
            }
            func peephole(_ gate: Int) -> Double {
                layer.peepholes.isEmpty ? 0 : layer.peepholes[gate * hidden + index] * state.cell[index]
            }
            let input = layer.activation(0, sum(0) + peephole(0))
            let forget = couplesInputAndForget ? 1 - input : layer.activation(0, sum(2) + peephole(2))
            state.cell[index] = forget * state.cell[index] + input * layer.activation(1, sum(3))
            let output = layer.activation(0, sum(1) + peephole(1))
            state.hidden[index] = output * layer.activations[2](state.cell[index])
        }
    }
}
