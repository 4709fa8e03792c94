import Graphs
import Planning
import Tensors

/// The weights of a recurrent network, packed for each direction.
struct RecurrentWeights: Sendable {
    /// The weights of the inputs, and the biases that are added with them.
    let input, inputBias: Tensor
    /// The recurrent weights of the gates that depend on the hidden state as it is, and zeros as their bias.
    let first, firstBias: Tensor
    /// Those of the gates behind, which depend on the reset state, with their bias; nil without such gates.
    let second, secondBias: Tensor?
    /// The weights of cells, [D, 3 · H]; nil without them.
    let peepholes: Tensor?

    init(_ network: RecurrentNetworkRequest, _ kernel: GEMMKernel, _ packed: PackedWeights) throws {
        let shape = network.shape
        let (hidden, gates, directions) = (shape.hidden, shape.gates, shape.directions)
        let (firstColumns, columns) = (shape.firstGates * hidden, gates * hidden)
        input = try kernel.pack(network.weights, "recurrence", in: packed) {
            Self.view($0, rows: 0..<columns, depth: shape.input)
        }
        first = try kernel.pack(network.recurrentWeights, "recurrence/\(firstColumns)", in: packed) {
            Self.view($0, rows: 0..<firstColumns, depth: hidden)
        }
        let biases = network.bias?.elements(as: Float.self) ?? [Float](repeating: 0, count: directions * 2 * columns)
        // Where the reset follows the product, the last gate's recurrent bias is added before the reset.
        let isSeparate = if case .gru(isLinearBeforeReset: true) = shape.kind { true } else { false }
        var (together, apart): ([Float], [Float]) = ([], [])
        for direction in 0..<directions {
            let own = biases[direction * 2 * columns..<(direction + 1) * 2 * columns]
            let (inputs, recurrent) = (own.prefix(columns), own.suffix(columns))
            together += zip(inputs, recurrent).enumerated().map { index, pair in
                isSeparate && index >= firstColumns ? pair.0 : pair.0 + pair.1
            }
            apart +=
                isSeparate
                ? Array(recurrent.suffix(columns - firstColumns))
                : [Float](repeating: 0, count: columns - firstColumns)
        }
        inputBias = try kernel.pack(
            bias: try Tensor(together, shape: [together.count]), groups: directions, columns: columns)
        firstBias = try kernel.pack(bias: nil, groups: directions, columns: firstColumns)
        if firstColumns < columns {
            second = try kernel.pack(network.recurrentWeights, "recurrence/behind \(firstColumns)", in: packed) {
                Self.view($0, rows: firstColumns..<columns, depth: hidden)
            }
            secondBias = try kernel.pack(
                bias: try Tensor(apart, shape: [apart.count]), groups: directions, columns: columns - firstColumns)
        } else {
            (second, secondBias) = (nil, nil)
        }
        peepholes = try network.peepholes?.contiguous()
    }

    /// Rows of weights [D, rows, depth] as columns [D, 1, depth, rows].
    private static func view(_ weights: Tensor, rows: Range<Int>, depth: Int) -> Tensor {
        Tensor(
            elementType: weights.elementType, shape: [weights.shape[0], 1, depth, rows.count],
            strides: [weights.strides[0], 0, weights.strides[2], weights.strides[1]],
            offset: weights.offset + rows.lowerBound * weights.strides[1], storage: weights.storage)
    }
}
