import CPUKernels
import Graphs
import Planning
import Tensors

/// The division of a recurrent network's scratch memory.
struct RecurrenceScratch: BitwiseCopyable, Sendable {
    /// The gates of all steps, a row for each, direction after direction; in elements.
    private let gateCount: Int
    /// What a thread needs for the state of a sequence, in elements, and for addresses.
    private let ownCount, addressCount: Int
    /// All bytes; nil where they cannot be counted.
    let byteCount: Int?

    init(_ shape: RecurrenceShape, threads: Int, rowsPerBlock: Int) {
        let gates = [shape.directions, shape.rowCount, shape.gates, shape.hidden].saturatingProduct
        gateCount = gates < Int.max / 32 ? (gates + 15) / 16 * 16 : gates
        ownCount = (3 * shape.hidden + 15) / 16 * 16
        addressCount = rowsPerBlock
        let each = ownCount * MemoryLayout<Float>.stride + addressCount * MemoryLayout<UnsafePointer<Float>>.stride
        let all = [threads, each].saturatingProduct
        byteCount = gates < Int.max / 32 && all < Int.max / 32 ? gateCount * MemoryLayout<Float>.stride + all : nil
    }

    /// The addresses of a thread's rows.
    func addresses(
        _ scratch: UnsafeMutableRawPointer, worker: Int
    ) -> UnsafeMutablePointer<UnsafePointer<Float>> {
        (scratch + gateCount * MemoryLayout<Float>.stride).assumingMemoryBound(to: UnsafePointer<Float>.self)
            + worker * addressCount
    }

    /// A thread's memory for the state of a sequence.
    func own(_ scratch: UnsafeMutableRawPointer, worker: Int, threads: Int) -> UnsafeMutablePointer<Float> {
        let addresses = threads * addressCount * MemoryLayout<UnsafePointer<Float>>.stride
        return (scratch + gateCount * MemoryLayout<Float>.stride + addresses).assumingMemoryBound(to: Float.self)
            + worker * ownCount
    }
}

struct RecurrenceStep: Step {
    fileprivate struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let lengths: UnsafePointer<Int32>?
        let initialHidden, initialCell: UnsafePointer<Float>?
        let output: UnsafeMutablePointer<Float>
        let lastHidden, lastCell: UnsafeMutablePointer<Float>?
        let scratch: UnsafeMutableRawPointer
        let inputWeights, inputBias, firstWeights, firstBias: UnsafePointer<Float>
        let secondWeights, secondBias, peepholes: UnsafePointer<Float>?
        let functions: UnsafePointer<apus_gate_function>
        let functionCount, threads: Int
        let shape: RecurrenceShape
        let places: RecurrenceScratch
        let tiling: PackedProductPartition
        let kernel: GEMMKernel
    }

    let input: Operand
    let lengths, initialHidden, initialCell: Operand?
    let outputs: [Operand]
    let scratch: Operand
    let places: RecurrenceScratch
    let weights: RecurrentWeights
    let shape: RecurrenceShape
    /// The functions of each direction, one after another.
    let functions: [apus_gate_function]
    let tiling: PackedProductPartition
    let kernel: GEMMKernel

    func run(_ context: StepContext) throws {
        let lengths = lengths.map { context.memory.address($0).assumingMemoryBound(to: Int32.self) }
        for sequence in 0..<(lengths == nil ? 0 : shape.batch) {
            guard let length = lengths?[sequence], length >= 0, length <= shape.time else {
                throw OperatorError.invalid(
                    "a sequence's length \(lengths?[sequence] ?? 0) lies outside 0...\(shape.time)")
            }
        }
        functions.withUnsafeBufferPointer { functions in
            guard let start = functions.baseAddress else { return }
            let arguments = Arguments(
                input: context.floats(input), lengths: lengths, initialHidden: context.floats(initialHidden),
                initialCell: context.floats(initialCell), output: context.mutableFloats(outputs[0]),
                lastHidden: outputs.count > 1 ? context.mutableFloats(outputs[1]) : nil,
                lastCell: outputs.count > 2 ? context.mutableFloats(outputs[2]) : nil,
                scratch: context.memory.mutableAddress(scratch), inputWeights: weights.input.floats,
                inputBias: weights.inputBias.floats, firstWeights: weights.first.floats,
                firstBias: weights.firstBias.floats, secondWeights: weights.second?.floats,
                secondBias: weights.secondBias?.floats, peepholes: weights.peepholes?.floats, functions: start,
                functionCount: functions.count / shape.directions, threads: context.workers.count, shape: shape,
                places: places, tiling: tiling, kernel: kernel)
            context.workers.run(shape.directions * tiling.pieceCount, arguments) { context, index, worker in
                context.load(as: Arguments.self).multiplyInputs(piece: index, worker: worker)
            }
            context.workers.run(shape.directions * shape.batch, arguments) { context, index, worker in
                context.load(as: Arguments.self).runSequence(index, worker: worker)
            }
        }
    }
}

extension RecurrenceStep.Arguments {
    private var columns: Int { shape.gates * shape.hidden }

    private var gates: UnsafeMutablePointer<Float> { scratch.assumingMemoryBound(to: Float.self) }

    /// The product of a block of inputs with the weights of a direction.
    func multiplyInputs(piece number: Int, worker: Int) {
        let (direction, index) = number.quotientAndRemainder(dividingBy: tiling.pieceCount)
        let piece = tiling.piece(index)
        let addresses = places.addresses(scratch, worker: worker)
        for row in 0..<piece.rowCount {
            (addresses + row).initialize(to: input + (piece.firstRow + row) * shape.input)
        }
        let padded = kernel.paddedColumns(columns)
        multiply(
            addresses, count: piece.rowCount, depth: shape.input,
            inputWeights + direction * shape.input * padded + piece.firstColumn * shape.input,
            inputBias + direction * padded + piece.firstColumn, columns: piece.columnCount,
            into: gates + (direction * shape.rowCount + piece.firstRow) * columns + piece.firstColumn, adds: false)
    }

    private func multiply(
        _ rows: UnsafePointer<UnsafePointer<Float>>, count: Int, depth: Int, _ weights: UnsafePointer<Float>,
        _ bias: UnsafePointer<Float>, columns columnCount: Int, into output: UnsafeMutablePointer<Float>, adds: Bool
    ) {
        var block = apus_gemm_block(
            rows: rows, zeros: nil, row_count: count, segment_count: 1, segment_length: depth, weights: weights,
            bias: bias, column_count: columnCount, output: output, output_stride: columns,
            addend: adds ? UnsafePointer(output) : nil, addend_stride: columns, activation: apus_activation(nil),
            rounded: nil, rounded_stride: 0, rounded_addend: nil)
        kernel.multiply(&block)
    }

    /// Runs a sequence in a direction, step by step.
    func runSequence(_ index: Int, worker: Int) {
        let (direction, sequence) = index.quotientAndRemainder(dividingBy: shape.batch)
        let hidden = shape.hidden
        let state = places.own(scratch, worker: worker, threads: threads)
        let place = shape.statePlace(direction, sequence)
        for unit in 0..<hidden {
            state[unit] = initialHidden?[place + unit] ?? 0
            state[hidden + unit] = initialCell?[place + unit] ?? 0
        }
        let length = lengths.map { Int($0[sequence]) } ?? shape.time
        let isReverse = shape.isReverse || direction == 1
        for step in 0..<length {
            let moment = isReverse ? length - 1 - step : step
            advance(state, direction, gates + (direction * shape.rowCount + shape.row(moment, sequence)) * columns)
            (output + shape.place(moment, direction, sequence)).update(from: state, count: hidden)
        }
        for moment in length..<shape.time {
            (output + shape.place(moment, direction, sequence)).update(repeating: 0, count: hidden)
        }
        lastHidden.map { ($0 + place).update(from: state, count: hidden) }
        lastCell.map { ($0 + place).update(from: state + hidden, count: hidden) }
    }

    /// Advances a state by one step. `state` has the hidden state, the cell, and room for one more row.
    private func advance(_ state: UnsafeMutablePointer<Float>, _ direction: Int, _ gates: UnsafeMutablePointer<Float>) {
        let hidden = shape.hidden
        let functions = functions + direction * functionCount
        addRecurrence(of: state, firstWeights, firstBias, shape.firstGates, direction, to: gates)
        switch shape.kind {
        case .rnn:
            apus_open_gates(functions, shape.clip, gates, hidden)
            state.update(from: gates, count: hidden)
        case .lstm(let isCoupled):
            apus_lstm_step(
                hidden, gates, peepholes.map { $0 + direction * 3 * hidden }, isCoupled ? 1 : 0, shape.clip, functions,
                state + hidden, state)
        case .gru(let isLinearBeforeReset):
            guard let secondWeights, let secondBias else { return }
            let (reset, candidate, row) = (gates + hidden, gates + 2 * hidden, state + 2 * hidden)
            apus_open_gates(functions, shape.clip, gates, 2 * hidden)
            if isLinearBeforeReset {
                row.update(repeating: 0, count: hidden)
                addRecurrence(of: state, secondWeights, secondBias, 1, direction, to: row)
                apus_add_product(hidden, reset, row, candidate)
            } else {
                row.update(from: state, count: hidden)
                apus_scale_by(hidden, reset, row)
                addRecurrence(of: row, secondWeights, secondBias, 1, direction, to: candidate)
            }
            apus_open_gates(functions + 1, shape.clip, candidate, hidden)
            apus_gru_blend(hidden, gates, candidate, state)
        }
    }

    /// Adds the product of a row with the recurrent weights of some gates.
    private func addRecurrence(
        of row: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ bias: UnsafePointer<Float>, _ gateCount: Int,
        _ direction: Int, to gates: UnsafeMutablePointer<Float>
    ) {
        let padded = kernel.paddedColumns(gateCount * shape.hidden)
        withUnsafePointer(to: row) { rows in
            multiply(
                rows, count: 1, depth: shape.hidden, weights + direction * shape.hidden * padded,
                bias + direction * padded, columns: gateCount * shape.hidden, into: gates, adds: true)
        }
    }
}
