import Tensors

/// An operator that evaluates graphs of its own: `If`, `Loop`, `Scan`.
///
/// Its inputs are those of its definition, followed by the values of the enclosing graph that each body reads, body by
/// body.
package protocol ControlFlowOperator: DataDependentOperator {
    /// The graphs that the operator evaluates.
    var bodies: [Subgraph] { get set }

    /// Evaluates the operator.
    ///
    /// - Parameters:
    ///   - inputs: All inputs, including those of the bodies.
    ///   - allowance: The limits on iterations and time of loops.
    ///   - evaluate: Evaluates the body with the given index on all of its inputs.
    func run(
        _ inputs: [Tensor?], allowance: LoopAllowance, evaluate: (Int, [Tensor]) throws -> [Tensor]
    ) throws -> [Tensor]
}

extension ControlFlowOperator {
    /// Throws: types are found only by evaluation, unless ``Graph/expand(_:_:)`` has replaced the node.
    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        throw .undetermined("the result of its graphs")
    }

    package func evaluate(_ inputs: [Tensor?]) throws -> [Tensor] {
        let allowance = LoopAllowance(iterations: 4096, duration: .seconds(1))
        return try run(inputs, allowance: allowance) { index, tensors in
            try bodies[index].graph.evaluated(tensors, allowance: allowance)
        }
    }

    /// The inputs of the operator's definition, without the captures of the bodies.
    package func ownInputs<Element>(_ inputs: [Element?]) throws(OperatorError) -> [Element?] {
        let count = inputs.count - bodies.reduce(0) { $0 + $1.captureCount }
        guard count >= 0 else { throw .invalid("lacks values that its graphs read") }
        return Array(inputs.prefix(count))
    }

    /// The captures of the body with the given index: the values of the enclosing graph that it reads.
    package func captures<Element>(_ inputs: [Element?], ofBody index: Int) throws(OperatorError) -> [Element] {
        let start = try ownInputs(inputs).count + bodies[..<index].reduce(0) { $0 + $1.captureCount }
        let captures = inputs[start..<start + bodies[index].captureCount].compactMap { $0 }
        guard captures.count == bodies[index].captureCount else { throw .invalid("lacks values that its graphs read") }
        return captures
    }
}
