import Tensors

/// One of two graphs, chosen by a condition.
///
/// y = then_branch() where cond is true, else_branch() otherwise
///
/// Shapes: cond (one element), and the values of the enclosing graph that the branches read → the outputs of the
/// branch.
/// Attributes: `then_branch`, `else_branch` (graphs without inputs; required).
/// Reference: https://onnx.ai/onnx/operators/onnx__If.html
package struct If: ControlFlowOperator {
    package static let name = "If"
    package static let inputCount = 1...Int.max
    package static let outputCount = 1...Int.max
    package var bodies: [Subgraph]

    /// - Parameters:
    ///   - then: What is computed where the condition holds; it reads only values of the graph around it.
    ///   - otherwise: What is computed where it does not, with as many outputs.
    package init(then: Subgraph, otherwise: Subgraph) {
        bodies = [then, otherwise]
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        bodies = []
        for name in ["then_branch", "else_branch"] {
            guard let branch = try attributes.graph(name) else { throw .invalid("attribute \"\(name)\" is missing") }
            guard branch.formalInputCount == 0 else { throw .invalid("attribute \"\(name)\" is a graph with inputs") }
            bodies.append(branch)
        }
        guard bodies[0].graph.outputs.count == bodies[1].graph.outputs.count else {
            throw .invalid("its branches have \(bodies.map(\.graph.outputs.count)) outputs")
        }
    }

    package var attributes: [String: AttributeValue] {
        ["then_branch": .graph(bodies[0]), "else_branch": .graph(bodies[1])]
    }

    /// The branch that a condition chooses.
    package static func branch(_ condition: Tensor) throws(OperatorError) -> Int {
        guard condition.elementType == .bool, condition.elementCount == 1 else {
            throw .invalid("the condition is \(TensorType(condition)); one truth value is expected")
        }
        return condition.elements(as: Bool.self).first == true ? 0 : 1
    }

    package func run(
        _ inputs: [Tensor?], allowance: LoopAllowance, evaluate: (Int, [Tensor]) throws -> [Tensor]
    ) throws -> [Tensor] {
        let own = try ownInputs(inputs)
        guard own.count == 1 else { throw OperatorError.invalid("has \(own.count) inputs; 1 expected") }
        let branch = try Self.branch(try own.required(0))
        return try evaluate(branch, try captures(inputs, ofBody: branch))
    }
}
