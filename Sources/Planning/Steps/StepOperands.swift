/// Where a step finds its operands.
package struct StepOperands: Sendable {
    /// What ``input(_:)`` and ``allInputs()`` give; weights that are only rearranged need not be ready to be read.
    package let inputs: [Operand?]
    package let outputs: [Operand]
    /// Byte offset in the arena of the scratch memory asked for.
    package let scratch: Operand
    /// Rearranged weights, shared by all plans of a session.
    package let packedWeights: PackedWeights

    /// An input that the node must have, ready to be read.
    package func input(_ index: Int) throws -> Operand {
        guard let operand = try optionalInput(index) else { throw PlanningError.missingOperand(index) }
        return operand
    }

    /// An input, ready to be read; nil where there is none.
    package func optionalInput(_ index: Int) throws -> Operand? {
        guard index < inputs.count, let operand = inputs[index] else { return nil }
        try operand.load()
        return operand
    }

    /// All inputs, ready to be read.
    package func allInputs() throws -> [Operand?] {
        try inputs.indices.map { try optionalInput($0) }
    }
}
