import Graphs
import Tensors

/// Evaluates a graph node by node in float64, as the reference for all backends.
///
/// Inputs and weights are converted to float64 exactly, and every operator's evaluation gives float64. An operator that
/// does not accept float64 gets float32, and its results are converted to float64.
package struct Float64Evaluation: Sendable {
    private let graph: Graph
    /// For each value, the index of the last node that reads it; −1 if none does.
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
    ///   - visit: Called with every value as soon as a node has computed it.
    /// - Throws: The errors of operators, with the node; the errors of `visit`; `CancellationError`.
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
    /// The tensor converted to float64 if its elements are floating-point numbers, otherwise unchanged.
    fileprivate var inFloat64: Tensor {
        get throws { try elementType.isFloatingPoint ? converted(to: .float64) : self }
    }
}
