import Tensors

/// An operator that carries a state along the sequences of a batch.
package protocol RecurrentNetwork: Operator {
    var recurrence: Recurrence { get }
    /// The functions of one direction.
    static var defaultActivations: [RecurrentActivation.Function] { get }
    static var gateCount: Int { get }
    /// Advances a state by one step.
    ///
    /// - Parameter gates: The contribution of the step's input to each gate, with the bias of the weights.
    func advance(_ state: inout RecurrentState, gates: ArraySlice<Double>, _ layer: RecurrentLayer)
}

/// The state that is carried from step to step.
package struct RecurrentState {
    var hidden: [Double]
    /// The cells; empty for networks without cells.
    var cell: [Double]
}

/// One direction's weights.
package struct RecurrentLayer {
    let hidden: Int
    let activations: [RecurrentActivation]
    let clip: Double
    /// The recurrent weights, row-major, with a row for each element of each gate.
    let weights: [Double]
    /// One bias for each row of ``weights``.
    let bias: [Double]
    /// The weights of the cell; empty when there are none.
    let peepholes: [Double]

    /// Activation `index` of x, which is first clipped to −clip...clip.
    func activation(_ index: Int, _ x: Double) -> Double { activations[index](min(max(x, -clip), clip)) }

    /// The recurrent weights of a gate's element times `vector`, with their bias.
    func product(gate: Int, _ element: Int, _ vector: [Double]) -> Double {
        let row = gate * hidden + element
        return bias[row]
            + weights.withUnsafeBufferPointer { weights in
                vector.withUnsafeBufferPointer { vector in
                    var sums = SIMD4<Double>()
                    var index = 0
                    while index + 4 <= hidden {
                        for lane in 0..<4 { sums[lane] += weights[row * hidden + index + lane] * vector[index + lane] }
                        index += 4
                    }
                    var sum = sums.sum()
                    while index < hidden {
                        sum += weights[row * hidden + index] * vector[index]
                        index += 1
                    }
                    return sum
                }
            }
    }
}

extension RecurrentNetwork {
    package var attributes: [String: AttributeValue] { recurrence.attributes }

    package func cost(inputs: [TensorType?], outputs: [TensorType]) -> OperatorCost {
        let rows = inputs.optional(1)?.shape ?? []
        let steps = (inputs.optional(0)?.shape ?? []).dropLast()
        let width = (rows.last ?? 0).addingReportingOverflow(inputs.optional(2)?.shape.last ?? 0).partialValue
        return OperatorCost(
            multiplyAdds: (steps + rows.dropLast() + [width]).saturatingProduct, inputs: inputs, outputs: outputs)
    }

    /// The types of the states of all steps, the last states, and the last cells.
    func stateTypes(_ inputs: [TensorType?], hasCell: Bool) throws(OperatorError) -> [TensorType] {
        let extents = try recurrence.extents(inputs, gates: Self.gateCount)
        _ = try recurrence.activations(Self.defaultActivations)
        let type = try inputs.required(0).elementType
        let state = TensorType(type, recurrence.stateShape(extents))
        return [TensorType(type, recurrence.sequenceShape(extents)), state] + (hasCell ? [state] : [])
    }

    /// Runs every sequence in every direction.
    func run(_ inputs: [Tensor?], _ types: [TensorType], hasCell: Bool) throws -> [Tensor] {
        let extents = try recurrence.extents(inputs.types, gates: Self.gateCount)
        let (time, batch, hidden) = (extents.time, extents.batch, extents.hidden)
        let x = try inputs.required(0)
        let sequences = recurrence.isBatchFirst ? try x.transposed([1, 0, 2]) : x
        let lengths = try sequenceLengths(inputs.optional(4), extents)
        let initialHidden = try stateElements(inputs.optional(5), extents)
        let initialCell = hasCell ? try stateElements(inputs.optional(6), extents) : []
        let activations = try recurrence.activations(Self.defaultActivations)
        let directions = recurrence.directionCount
        let rows = Self.gateCount * hidden
        var lasts = [Double](repeating: 0, count: directions * batch * hidden)
        var cells = hasCell ? lasts : []
        let y = try Tensor(TensorType(.float64, [time, directions, batch, hidden])) { y in
            for direction in 0..<directions {
                let layer = try layer(direction, inputs, activations[direction], rows: rows, hidden: hidden)
                let gates = try inputGates(sequences, direction, inputs, rows: rows)
                let isReverse = recurrence.direction == .reverse || direction == 1
                for sequence in 0..<batch {
                    let own = (direction * batch + sequence) * hidden
                    var state = RecurrentState(
                        hidden: Array(initialHidden[own..<own + hidden]),
                        cell: hasCell ? Array(initialCell[own..<own + hidden]) : [])
                    for step in 0..<lengths[sequence] {
                        let moment = isReverse ? lengths[sequence] - 1 - step : step
                        let first = (moment * batch + sequence) * rows
                        advance(&state, gates: gates[first..<first + rows], layer)
                        let target = ((moment * directions + direction) * batch + sequence) * hidden
                        for index in 0..<hidden { y[target + index] = state.hidden[index] }
                    }
                    lasts.replaceSubrange(own..<own + hidden, with: state.hidden)
                    if hasCell { cells.replaceSubrange(own..<own + hidden, with: state.cell) }
                }
            }
        }
        func finished(_ tensor: Tensor, _ order: [Int], _ type: TensorType) throws -> Tensor {
            try (recurrence.isBatchFirst ? tensor.transposed(order) : tensor).converted(to: type.elementType)
        }
        var results = [try finished(y, [2, 0, 1, 3], types[0])]
        for (values, type) in zip([lasts] + (hasCell ? [cells] : []), types.dropFirst()) {
            results.append(try finished(try Tensor(values, shape: [directions, batch, hidden]), [1, 0, 2], type))
        }
        return results
    }

    private func layer(
        _ direction: Int, _ inputs: [Tensor?], _ activations: [RecurrentActivation], rows: Int, hidden: Int
    ) throws -> RecurrentLayer {
        func part(_ index: Int) throws -> [Double]? {
            try inputs.optional(index)?.sliced(axis: 0, direction..<direction + 1).float64Elements
        }
        let bias = try part(3).map { Array($0[rows...]) }
        return RecurrentLayer(
            hidden: hidden, activations: activations, clip: recurrence.clip.map(Double.init) ?? .infinity,
            weights: try part(2) ?? [], bias: bias ?? [Double](repeating: 0, count: rows),
            peepholes: try part(7) ?? [])
    }

    /// The contributions of all steps' inputs to each gate: x · wᵀ + bias, a row for each step of each sequence.
    private func inputGates(_ x: Tensor, _ direction: Int, _ inputs: [Tensor?], rows: Int) throws -> [Double] {
        let count = x.shape[0] * x.shape[1]
        let weights = try inputs.required(1).sliced(axis: 0, direction..<direction + 1)
            .reshaped(to: [rows, x.shape[2]]).transposed([1, 0])
        let bias = try inputs.optional(3)?.sliced(axis: 0, direction..<direction + 1).float64Elements
        let gates = try Tensor(TensorType(.float64, [count, rows])) { gates in
            guard let start = gates.baseAddress, !gates.isEmpty else { return }
            try MatrixProduct.multiply(try x.reshaped(to: [count, x.shape[2]]), weights, into: start)
            guard let bias else { return }
            for index in gates.indices { gates[index] += bias[index % rows] }
        }
        return gates.float64Elements
    }

    private func sequenceLengths(_ lengths: Tensor?, _ extents: Recurrence.Extents) throws -> [Int] {
        guard let lengths else { return [Int](repeating: extents.time, count: extents.batch) }
        return try lengths.elements(as: Int64.self).map { length in
            guard length >= 0, length <= Int64(extents.time) else {
                throw OperatorError.invalid("a sequence's length \(length) lies outside 0...\(extents.time)")
            }
            return Int(length)
        }
    }

    /// The elements of initial states, with the directions first.
    private func stateElements(_ state: Tensor?, _ extents: Recurrence.Extents) throws -> [Double] {
        let shape = [recurrence.directionCount, extents.batch, extents.hidden]
        guard let state else {
            try Tensor.claim(shape)
            return [Double](repeating: 0, count: shape.elementCount)
        }
        return (recurrence.isBatchFirst ? try state.transposed([1, 0, 2]) : state).float64Elements
    }
}
