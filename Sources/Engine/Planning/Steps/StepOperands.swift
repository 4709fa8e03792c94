/// The operands of a step.
package struct StepOperands: Sendable {
    /// The operands that ``input(_:)`` and ``allInputs()`` return. Weights that are only rearranged need not be loaded.
    package let inputs: [Operand?]
    package let outputs: [Operand]
    /// The scratch memory that the lowering asked for.
    package let scratch: Operand
    /// Rearranged weights, shared by all plans of a session.
    package let packedWeights: PackedWeights

    /// Returns an input that the node must have, ready to be read.
    package func input(_ index: Int) throws -> Operand {
        guard let operand = try optionalInput(index) else { throw PlanningError.missingOperand(index) }
        return operand
    }

    /// Returns an input, ready to be read; nil where it is absent.
    package func optionalInput(_ index: Int) throws -> Operand? {
        guard index < inputs.count, let operand = inputs[index] else { return nil }
        try operand.load()
        return operand
    }

    /// Returns all inputs, ready to be read.
    package func allInputs() throws -> [Operand?] {
        try inputs.indices.map { try optionalInput($0) }
    }
}
