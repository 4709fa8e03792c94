import Graphs
import Planning
import Tensors
import Testing

@Suite("Running plans")
struct ExecutionTests {
    private func negation(_ count: Int) throws -> Plan {
        try Planner.reference.plan(
            try Graph.wired(inputs: [("x", [count])], nodes: [("y", Neg(), reads: ["x"])], outputs: ["y"]))
    }

    @Test("Plans of different sizes share an execution")
    func growsItsArena() throws {
        let budget = MemoryBudget(limit: 1 << 20)
        let execution = Execution(workers: SerialWorkers(), budget: budget)
        for count in [4, 400, 40, 400] {
            let numbers = (0..<count).map(Float.init)
            let outputs = try execution.run(try negation(count), inputs: [try Tensor(numbers, shape: [count])])
            #expect(outputs.map { $0.elements(as: Float.self) } == [numbers.map { -$0 }])
        }
        // The arena of the largest plan stays; the outputs are gone.
        #expect(budget.bytesInUse == 1600)
    }

    @Test("An arena beyond the budget is refused, and smaller plans still run")
    func respectsBudget() throws {
        let budget = MemoryBudget(limit: 4096)
        let execution = Execution(workers: SerialWorkers(), budget: budget)
        let large = try negation(2000)
        let error = #expect(throws: PlanningError.self) { try execution.prepare(for: large) }
        let message = error.map { "\($0)" } ?? ""
        #expect(message.hasPrefix("memory for the values between layers, the largest of them of layer \""))
        #expect(message.hasSuffix("\" (Neg): needs 8000 bytes; 0 bytes of the memory budget of 4096 bytes are in use"))
        #expect(budget.bytesInUse == 0)
        let outputs = try execution.run(try negation(1), inputs: [try Tensor([Float(3)], shape: [1])])
        #expect(outputs.first?.elements(as: Float.self) == [-3])
    }

    @Test("A cancelled run stops, and the execution can be used again")
    func stopsWhenCancelled() throws {
        let execution = Execution(workers: SerialWorkers())
        let plan = try negation(4)
        let input = try Tensor([Float](repeating: 1, count: 4), shape: [4])
        let flag = CancellationFlag()
        flag.set()
        let error = #expect(throws: PlanningError.self) {
            try execution.run(plan, inputs: [input], cancellation: flag)
        }
        guard case .cancelled? = error else {
            Issue.record("not cancelled, but \(error.map { "\($0)" } ?? "finished")")
            return
        }
        #expect(try execution.run(plan, inputs: [input]).first?.elements(as: Float.self) == [-1, -1, -1, -1])
    }

    @Test("A step that fails is named")
    func namesFailingSteps() throws {
        struct Failing: Step {
            func run(_ context: StepContext) throws { throw OperatorError.invalid("did not work") }
        }
        let backend = ScriptedBackend(
            "failing",
            [
                .init(name: "fails") { _ in
                    .accept(
                        Candidate(microseconds: 0, inputLayouts: [nil], outputLayouts: [.rowMajor]) { _ in Failing() })
                }
            ])
        let graph = try Graph.wired(inputs: [("x", [1])], nodes: [("y", Neg(), reads: ["x"])], outputs: ["y"])
        let plan = try Planner(backends: [backend], threadCount: 1).plan(graph)
        let error = #expect(throws: PlanningError.self) { try plan.outputs([try Tensor([Float(1)], shape: [1])]) }
        #expect(error.map { "\($0)" } == "node \"y\" (Neg): did not work")
    }
}
