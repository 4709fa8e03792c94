import Tensors

/// An operator that evaluates graphs of its own: `If`, `Loop`, `Scan`.
///
/// Its inputs are those of its definition, and then what each body reads of the graph around, body after body.
package protocol ControlFlowOperator: DataDependentOperator {
    /// The graphs.
    var bodies: [Subgraph] { get set }

    /// Evaluates the operator.
    ///
    /// - Parameters:
    ///   - inputs: All inputs, those of the bodies included.
    ///   - allowance: What loops may take.
    ///   - evaluate: Evaluates the body with the index given, on all of its inputs.
    func run(
        _ inputs: [Tensor?], allowance: LoopAllowance, evaluate: (Int, [Tensor]) throws -> [Tensor]
    ) throws -> [Tensor]
}

extension ControlFlowOperator {
    /// What is known of a node with graphs inside is put in its place by ``Graph/expand(_:_:)``.
    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        throw .undetermined("what its graphs give")
    }

    package func evaluate(_ inputs: [Tensor?]) throws -> [Tensor] {
        let allowance = LoopAllowance(iterations: 4096, duration: .seconds(1))
        return try run(inputs, allowance: allowance) { index, tensors in
            try bodies[index].graph.evaluated(tensors, allowance: allowance)
        }
    }

    /// The inputs of the operator's definition, without what the bodies read of the graph around.
    package func ownInputs<Element>(_ inputs: [Element?]) throws(OperatorError) -> [Element?] {
        let count = inputs.count - bodies.reduce(0) { $0 + $1.captureCount }
        guard count >= 0 else { throw .invalid("lacks values that its graphs read") }
        return Array(inputs.prefix(count))
    }

    /// What the body with the index given reads of the graph around.
    package func captures<Element>(_ inputs: [Element?], ofBody index: Int) throws(OperatorError) -> [Element] {
        let start = try ownInputs(inputs).count + bodies[..<index].reduce(0) { $0 + $1.captureCount }
        let captures = inputs[start..<start + bodies[index].captureCount].compactMap { $0 }
        guard captures.count == bodies[index].captureCount else { throw .invalid("lacks values that its graphs read") }
        return captures
    }
}
