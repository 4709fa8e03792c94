import Tensors

/// A simple recurrent network.
///
/// hₜ = f(W · xₜ + R · hₜ₋₁ + b_W + b_R)
///
/// Shapes: x [T, N, I], w [D, H, I], r [D, H, H], b [D, 2 · H], sequence_lens [N], initial_h [D, N, H] (the last three
/// optional) → y [T, D, N, H], y_h [D, N, H]; D is the number of directions. With `layout` 1 x [N, T, I], initial_h and
/// y_h [N, D, H], y [N, T, D, H].
/// Attributes: `activations` (Tanh) and those of ``Recurrence``.
/// Numerics: sums in float64; y is 0 after the end of a sequence.
/// Reference: https://onnx.ai/onnx/operators/onnx__RNN.html
package struct RNN: RecurrentNetwork {
    package static let name = "RNN"
    package static let inputCount = 3...6
    package static let outputCount = 1...2
    package static let gateCount = 1
    package static let defaultActivations: [RecurrentActivation.Function] = [.tanh]
    package var recurrence: Recurrence

    package init(recurrence: Recurrence = Recurrence()) {
        self.recurrence = recurrence
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        recurrence = try Recurrence(&attributes)
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
        let previous = state.hidden
        for (index, gate) in gates.enumerated() {
            state.hidden[index] = layer.activation(0, gate + layer.product(gate: 0, index, previous))
        }
    }
}
