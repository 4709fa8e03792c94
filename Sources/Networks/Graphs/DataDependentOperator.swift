import Tensors

/// An operator whose output types depend on the content of its inputs, such as `NonZero`.
package protocol DataDependentOperator: Operator {
    /// Evaluates the operator plainly, as ``Operator/evaluate(_:outputTypes:)`` does; the results show the types.
    func evaluate(_ inputs: [Tensor?]) throws -> [Tensor]
}

extension DataDependentOperator {
    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        try contentTypes(for: inputs)
    }

    /// The types of the outputs when the content of all inputs is known.
    ///
    /// - Throws: ``OperatorError/undetermined(_:)`` when it is not.
    package func contentTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        var contents: [Tensor?] = []
        for (index, input) in inputs.enumerated() {
            guard input == nil || input?.constant != nil else { throw .undetermined("the content of input \(index)") }
            contents.append(input?.constant)
        }
        do {
            return try evaluate(contents).map { TensorType($0) }
        } catch let error as OperatorError {
            throw error
        } catch let error as TensorError {
            throw .tensor(error)
        } catch {
            throw .invalid("\(error)")
        }
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        try evaluate(inputs)
    }
}

extension Operator {
    /// Evaluates the operator on tensors whose types its shape rule has not checked yet.
    package func evaluateCheckingTypes(_ inputs: [Tensor?]) throws -> [Tensor] {
        if let operation = self as? any DataDependentOperator { return try operation.evaluate(inputs) }
        let types = try outputTypes(for: inputs.types)
        for type in types { try Tensor.claim(type.shape) }
        return try evaluateInBudget(inputs, outputTypes: types)
    }
}
