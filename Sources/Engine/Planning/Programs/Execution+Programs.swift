import Graphs
import Tensors

extension Execution {
    /// Allocates the memory that running needs, as far as it is known.
    package func prepare(for executable: Executable) throws(PlanningError) {
        switch executable {
        case .plan(let plan): try prepare(for: plan)
        case .program(_, let first): if let plan = first.plan { try prepare(for: plan) }
        }
    }

    /// Runs a graph on tensors and returns new tensors, in the graph's order.
    ///
    /// - Parameter loops: What the loops of the graph may take together.
    package func run(
        _ executable: Executable, inputs: [Tensor], cancellation: CancellationFlag? = nil, loops: LoopLimits
    ) throws(PlanningError) -> [Tensor] {
        switch executable {
        case .plan(let plan): return try run(plan, inputs: inputs, cancellation: cancellation)
        case .program(let program, _):
            return try run(program, inputs: inputs, cancellation: cancellation, allowance: loops.allowance())
        }
    }

    private func run(
        _ program: Program, inputs: [Tensor], cancellation: CancellationFlag?, allowance: LoopAllowance
    ) throws(PlanningError) -> [Tensor] {
        let graph = program.graph
        var stage = try program.firstStage(inputs.map { TensorType($0, keepingContent: false) })
        var tensors = Dictionary(zip(graph.inputs, inputs), uniquingKeysWith: { first, _ in first })
        func tensor(_ id: Graph.ValueID) throws(PlanningError) -> Tensor {
            if let tensor = tensors[id] ?? stage.constant(id) { return tensor }
            throw .graph(.value(name: stage.rest[id].name, message: "was not computed"))
        }
        while true {
            if let cancellation, cancellation.isSet { throw .cancelled }
            if let plan = stage.plan {
                let operands = try stage.inputs.map { id throws(PlanningError) in try tensor(id) }
                let results = try run(plan, inputs: operands, cancellation: cancellation)
                for (id, result) in zip(stage.outputs, results) { tensors[id] = result }
            }
            var dynamicResults: [[Tensor]] = []
            for dynamic in stage.dynamicNodes {
                if let cancellation, cancellation.isSet { throw .cancelled }
                let operands = try dynamic.node.inputs.map { id throws(PlanningError) in
                    if let id { try tensor(id) } else { nil as Tensor? }
                }
                dynamicResults.append(try evaluate(dynamic.node, operands, of: program, cancellation, allowance))
            }
            for (dynamic, results) in zip(stage.dynamicNodes, dynamicResults) {
                for (output, result) in zip(dynamic.node.outputs, results) {
                    if let output { tensors[output] = result }
                }
            }
            if stage.isLast { return try graph.outputs.map { id throws(PlanningError) in try tensor(id) } }
            tensors = tensors.filter { stage.live.contains($0.key) }
            stage = try program.stage(after: stage, dynamicResults)
        }
    }

    /// Evaluates a node whose output types are not known, including the graphs inside it.
    private func evaluate(
        _ node: Graph.Node, _ operands: [Tensor?], of program: Program, _ cancellation: CancellationFlag?,
        _ allowance: LoopAllowance
    ) throws(PlanningError) -> [Tensor] {
        do {
            let results =
                if let operation = node.operation as? any ControlFlowOperator {
                    try operation.run(operands, allowance: allowance) { index, tensors in
                        try run(
                            program.body(operation.bodies[index]), inputs: tensors, cancellation: cancellation,
                            allowance: allowance)
                    }
                } else {
                    try node.operation.evaluateCheckingTypes(operands)
                }
            guard results.count >= node.outputs.count else {
                throw OperatorError.invalid("gives \(results.count) outputs, but \(node.outputs.count) are named")
            }
            return results
        } catch let error as PlanningError {
            throw error
        } catch let error as GraphError {
            throw .graph(error)
        } catch let error as TensorError {
            throw .tensor(error)
        } catch let error as OperatorError {
            if case .tensor(let error) = error { throw .tensor(error) }
            if case .invalid(let message) = error {
                throw .run(node: node.name, operatorName: node.operatorName, message: message)
            }
            throw .graph(GraphError(node, error))
        } catch {
            throw .run(node: node.name, operatorName: node.operatorName, message: "\(error)")
        }
    }
}

/// Limits on all loops of a run together, after which the run is ended.
package struct LoopLimits: Sendable {
    /// The maximum number of iterations.
    package var iterations: Int
    /// The maximum duration.
    package var duration: Duration

    package init(iterations: Int, duration: Duration) {
        self.iterations = iterations
        self.duration = duration
    }

    func allowance() -> LoopAllowance { LoopAllowance(iterations: iterations, duration: duration) }
}
