import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing

/// Whether a network gives, after all rewrites and on the processor's kernels, what its operators give one by one; with
/// the same bits on one thread and on two, and alone and in a batch, in memory filled with NaN.
struct NetworkCheck {
    let backend: CPUBackend
    /// The part of the largest output by which outputs may differ, beside what values that differ by as much change.
    let precision: Float

    private let pools = [1, 2].map { ThreadPool(count: $0) }

    /// How the network fails, in words; nil where it does not.
    ///
    /// - Parameter expected: Its outputs; by the operators' own evaluation unless they are given.
    func failure(_ given: GivenGraph, expected: [Tensor]? = nil) -> String? {
        do {
            let expected = try expected ?? ReferenceEvaluation.run(given.graph, given.inputs)
            let graph = try Rewrites.declutter(given.graph).graph
            let whole = try outputs(graph, given.inputs, threads: 2)
            if let difference = try difference(whole, expected, given) { return difference }
            let onOne = try outputs(graph, given.inputs, threads: 1)
            if let output = Self.firstDifferentOutput(whole, onOne) {
                return "output \(output) has other bits on one thread than on two"
            }
            if let parts = try outputs(graph, given.inputs, threads: 2, division: .images(1)),
                let output = Self.firstDifferentOutput(whole, parts)
            {
                return "output \(output) has other bits in a batch than alone"
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func outputs(_ graph: Graph, _ inputs: [Tensor], threads: Int) throws -> [Tensor] {
        try outputs(graph, inputs, threads: threads, division: nil) ?? []
    }

    /// - Returns: nil where a division is asked for and the network's batch cannot be computed in parts.
    private func outputs(
        _ graph: Graph, _ inputs: [Tensor], threads: Int, division: BatchDivision?
    ) throws -> [Tensor]? {
        // Outputs are written where they are wanted, as is done with large ones.
        let plan = try Planner(
            backends: [backend, ReferenceBackend()], threadCount: threads, division: division,
            largeOutputByteCount: 0
        ).plan(graph, inputShapes: inputs.map(\.shape), packedWeights: PackedWeights())
        if division != nil, plan.batching.runCount == 1 { return nil }
        let execution = Execution(workers: try #require(pools[threads - 1]))
        execution.fillsArena = true
        return try execution.run(plan, inputs: inputs)
    }

    private static func firstDifferentOutput(_ outputs: [Tensor], _ others: [Tensor]) -> Int? {
        zip(outputs, others).enumerated().first { _, pair in
            pair.0.elements(as: Float.self).map(\.bitPattern) != pair.1.elements(as: Float.self).map(\.bitPattern)
        }?.offset
    }

    private func difference(_ outputs: [Tensor], _ expected: [Tensor], _ given: GivenGraph) throws -> String? {
        var sensitivity: [Float]?
        // A number between two steps may be rounded to either.
        let step = Self.largestStep(given.graph)
        for (index, (output, expected)) in zip(outputs, expected).enumerated() {
            guard output.shape == expected.shape, output.elementType == expected.elementType else {
                return "output \(index) is \(output.elementType)\(output.shape), not \(TensorType(expected))"
            }
            let pairs = zip(output.elements(as: Float.self), expected.elements(as: Float.self))
            let largest = expected.elements(as: Float.self).reduce(0) { max($0, $1.isFinite ? abs($1) : 0) }
            let allowed = 1.01 * step + precision * max(largest, 1e-3)
            for (element, (found, wanted)) in pairs.enumerated() {
                if found == wanted || found.isNaN && wanted.isNaN { continue }
                if abs(found - wanted) <= allowed { continue }
                // Networks can make small differences large: a mean of nearly equal numbers, a product of large ones.
                let changes = try sensitivity ?? Self.sensitivity(given, by: precision, expected: outputs.count)
                sensitivity = changes
                if abs(found - wanted) <= allowed + 20 * changes[index] { continue }
                // Infinity times 0 is NaN: Swish and its kind have their limit there, and weights of 0 may be left out.
                if wanted.isNaN || found.isNaN, try Self.meetsInfinity(given) { continue }
                return "output \(index), element \(element) is \(found), not \(wanted)"
            }
        }
        return outputs.count == expected.count ? nil : "\(outputs.count) outputs"
    }

    private static func meetsInfinity(_ given: GivenGraph) throws -> Bool {
        var meets = false
        _ = try ReferenceEvaluation.run(given.graph, given.inputs) { result in
            if result.elementType == .float32 {
                meets = meets || result.elements(as: Float.self).contains { $0.isInfinite }
            }
            return result
        }
        return meets
            || given.inputs.contains { input in
                input.elementType == .float32 && input.elements(as: Float.self).contains { $0.isInfinite }
            }
    }

    /// The largest step of the network's quantized values.
    private static func largestStep(_ graph: Graph) -> Float {
        graph.nodes.filter { $0.operation is QuantizeLinear }
            .compactMap { $0.inputs[1].flatMap { graph.initializers[$0] }?.elements(as: Float.self).max() }
            .max() ?? 0
    }

    /// The largest change of each output when inputs, weights and results change by a part of themselves: a value
    /// that is rounded beside one that is not leaves the rounding where the two cancel.
    private static func sensitivity(_ given: GivenGraph, by part: Float, expected count: Int) throws -> [Float] {
        var largest = [Float](repeating: 0, count: count)
        let outputs = try ReferenceEvaluation.run(given.graph, given.inputs)
        for seed in UInt64(0)..<3 {
            var generator = SplitMix64(seed: seed)
            func changed(_ tensor: Tensor) throws -> Tensor {
                guard tensor.elementType == .float32 else { return tensor }
                let numbers = tensor.elements(as: Float.self)
                return try Tensor(
                    numbers.map { $0 * (1 + Float.random(in: -part...part, using: &generator)) }, shape: tensor.shape)
            }
            var graph = given.graph
            for (id, tensor) in given.graph.initializers.sorted(by: { $0.key.index < $1.key.index }) {
                graph.initializers[id] = try changed(tensor)
            }
            let others = try ReferenceEvaluation.run(graph, try given.inputs.map(changed), change: changed)
            for (index, (output, other)) in zip(outputs, others).enumerated() {
                for (a, b) in zip(output.elements(as: Float.self), other.elements(as: Float.self)) {
                    largest[index] = max(largest[index], abs(a - b))
                }
            }
        }
        return largest
    }
}
