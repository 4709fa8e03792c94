import Tensors

/// A graph evaluated repeatedly on its own results.
///
/// for (i = 0; i < M && cond; i += 1) { cond, v…, s_i… = body(i, cond, v…) };  y = v…, stacked s…
///
/// Shapes: M (int64, one element, optional), cond (bool, one element, optional), v_initial…, and the values of the
/// enclosing graph that the body reads → the last v…, and each s of all iterations along a new first axis.
/// Attributes: `body` (a graph from iteration, condition, v… to condition, v…, s…; required).
/// Numerics: without iterations, the extents of s are those that the body declares, or 0 where it declares none.
/// Reference: https://onnx.ai/onnx/operators/onnx__Loop.html
package struct Loop: ControlFlowOperator {
    package static let name = "Loop"
    package static let inputCount = 2...Int.max
    package static let outputCount = 1...Int.max
    package var bodies: [Subgraph]

    /// - Parameter body: Iteration, condition and what is carried along become condition and what is carried along.
    package init(body: Subgraph) {
        bodies = [body]
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        guard let body = try attributes.graph("body") else { throw .invalid("attribute \"body\" is missing") }
        guard body.formalInputCount >= 2, body.graph.outputs.count >= body.formalInputCount - 1 else {
            throw .invalid(
                "its body has \(body.formalInputCount) inputs and \(body.graph.outputs.count) outputs; "
                    + "an iteration, a condition and what is carried along are expected")
        }
        bodies = [body]
    }

    package var attributes: [String: AttributeValue] { ["body": .graph(bodies[0])] }

    /// The number of values that each iteration passes to the next.
    package var carriedCount: Int { bodies[0].formalInputCount - 2 }

    package func run(
        _ inputs: [Tensor?], allowance: LoopAllowance, evaluate: (Int, [Tensor]) throws -> [Tensor]
    ) throws -> [Tensor] {
        let own = try ownInputs(inputs)
        guard own.count == carriedCount + 2 else {
            throw OperatorError.invalid("has \(own.count) inputs, but its body \(carriedCount + 2)")
        }
        let captures = try captures(inputs, ofBody: 0)
        let tripCount = try own.optional(0).map(Self.tripCount) ?? .max
        var condition = try own.optional(1).map(If.branch) ?? 0
        var carried = try (0..<carriedCount).map { try own.required($0 + 2) }
        var scans = bodies[0].graph.outputs.indices.dropFirst(1 + carriedCount).map {
            IterationResults(of: bodies[0], output: $0)
        }
        var iteration: Int64 = 0
        func iterate() throws {
            try allowance.step()
            let counter = try Tensor([iteration], shape: bodies[0].scalarShape(ofInput: 0))
            let flag = try Tensor([true], shape: bodies[0].scalarShape(ofInput: 1))
            let results = try evaluate(0, [counter, flag] + carried + captures)
            guard results.count == 1 + carriedCount + scans.count else {
                throw OperatorError.invalid("its body gives \(results.count) outputs")
            }
            condition = try If.branch(results[0])
            carried = Array(results[1..<1 + carriedCount])
            for index in scans.indices { try scans[index].append(results[1 + carriedCount + index]) }
            iteration += 1
        }
        try allowance.looping { while iteration < tripCount, condition == 0 { try iterate() } }
        return carried + (try scans.map { try $0.joined() })
    }

    private static func tripCount(_ tensor: Tensor) throws(OperatorError) -> Int64 {
        guard tensor.elementCount == 1, tensor.elementType.integerType != nil else {
            throw .invalid("the number of iterations is \(TensorType(tensor)); one integer is expected")
        }
        return tensor.elements(as: Int64.self).first ?? 0
    }
}
