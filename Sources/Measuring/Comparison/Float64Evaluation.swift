import Graphs
import Tensors

/// Evaluates a graph node by node in float64: what every backend is measured against.
///
/// Inputs and weights become float64, which loses nothing, and every operator's plain evaluation gives float64. An
/// operator that takes no float64 is given float32, and its results count as float64 from there on.
package struct Float64Evaluation: Sendable {
    private let graph: Graph
    /// For each value the last node that reads it; −1 for those that none reads.
    private let lastReaders: [Int]

    package init(_ graph: Graph) {
        self.graph = graph
        var readers = [Int](repeating: -1, count: graph.values.count)
        for (index, node) in graph.nodes.enumerated() { for case let id? in node.inputs { readers[id.index] = index } }
        lastReaders = readers
    }

    /// Evaluates all nodes in order.
    ///
    /// - Parameters:
    ///   - inputs: A tensor for every input, in the graph's order.
    ///   - visit: Gets every value that a node computes, as soon as it is known.
    /// - Throws: What operators throw, with the node; what `visit` throws; `CancellationError`.
    package func run(_ inputs: [Tensor], visit: (Graph.ValueID, Tensor) throws -> Void) throws {
        var tensors = [Tensor?](repeating: nil, count: graph.values.count)
        for (id, tensor) in zip(graph.inputs, inputs) {
            try graph.check(tensor.shape, elementType: tensor.elementType, forInput: id)
            tensors[id.index] = try tensor.inFloat64
        }
        for (index, node) in graph.nodes.enumerated() {
            try Task.checkCancellation()
            for case let id? in node.inputs where tensors[id.index] == nil {
                tensors[id.index] = try graph.initializers[id]?.inFloat64
            }
            let operands = node.inputs.map { $0.flatMap { tensors[$0.index] } }
            let results: [Tensor]
            do {
                results = try Self.evaluate(node, operands)
            } catch {
                throw GraphError(node, .invalid("\(error)"))
            }
            for (output, result) in zip(node.outputs, results) {
                guard let output else { continue }
                tensors[output.index] = result
                try visit(output, result)
            }
            for case let id? in node.inputs + node.outputs where lastReaders[id.index] <= index {
                tensors[id.index] = nil
            }
        }
    }

    private static func evaluate(_ node: Graph.Node, _ operands: [Tensor?]) throws -> [Tensor] {
        func evaluate(_ operands: [Tensor?]) throws -> [Tensor] {
            let types = operands.map { operand in
                operand.map { TensorType($0, keepingContent: $0.elementCount <= Graph.followedElementCount) }
            }
            let outputs = try node.operation.outputTypes(for: types)
            return try node.operation.evaluate(operands, outputTypes: outputs)
        }
        do {
            return try evaluate(operands)
        } catch {
            let rounded = try operands.map {
                try $0.map { try $0.elementType == .float64 ? $0.converted(to: .float32) : $0 }
            }
            return try evaluate(rounded).map { try $0.inFloat64 }
        }
    }
}

extension Tensor {
    /// The tensor in float64 when its elements are floating-point numbers, otherwise itself.
    fileprivate var inFloat64: Tensor {
        get throws { try elementType.isFloatingPoint ? converted(to: .float64) : self }
    }
}
