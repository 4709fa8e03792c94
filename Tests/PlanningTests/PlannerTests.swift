import Graphs
import Planning
import Synchronization
import Tensors
import Testing

@Suite("Planning")
struct PlannerTests {
    @Test("Every lowering that was asked is explained, and the chosen one is among them")
    func explains() throws {
        let picky = ScriptedBackend(
            "picky",
            [
                .init(name: "never") { _ in .decline("it is Tuesday") },
                .init(name: "dear") { request in
                    .accept(
                        Candidate(
                            microseconds: 1e9, inputLayouts: [nil],
                            outputLayouts: request.outputs.map { _ in .rowMajor }
                        ) { _ in NothingStep() })
                },
            ])
        let graph = try Graph.wired(inputs: [("x", [2, 3])], nodes: [("y", Tanh(), reads: ["x"])], outputs: ["y"])
        let plan = try Planner(backends: [picky, ReferenceBackend()], threadCount: 1).plan(graph)
        let layer = try #require(plan.layers.first)
        #expect(plan.layers.count == 1)
        #expect(layer.considered.map(\.lowering) == ["never", "dear", "evaluation"])
        #expect(layer.considered.map(\.reason) == ["it is Tuesday", nil, nil])
        #expect(layer.considered[0].microseconds == nil)
        #expect(layer.considered[1].microseconds == 1e9)
        #expect(layer.considered[2].microseconds ?? 1e9 < 1e9)
        // The reference runs only operators that no other backend runs.
        #expect((layer.backend, layer.lowering) == ("picky", "dear"))
        #expect(layer.microseconds == 1e9)
        let alone = ScriptedBackend("alone", [.init(name: "never") { _ in .decline("it is Tuesday") }])
        let left = try Planner(backends: [alone, ReferenceBackend()], threadCount: 1).plan(graph)
        #expect(left.layers.map(\.lowering) == ["evaluation"])
    }

    @Test("A lowering that runs no operator of a type is asked once about that type, and is no reason")
    func asksOnlyLoweringsOfAnOperator() throws {
        let asked = Mutex<[String]>([])
        let backend = ScriptedBackend(
            "apart",
            [
                .init(name: "other") { request in
                    asked.withLock { $0.append(request.node.name) }
                    return request.operation is Sigmoid ? .decline("it is Tuesday") : .otherOperator
                }
            ])
        let graph = try Graph.wired(
            inputs: [("x", [2])],
            nodes: [
                ("a", Tanh(), reads: ["x"]), ("b", Tanh(), reads: ["a"]), ("c", Sigmoid(), reads: ["b"]),
                ("d", Sigmoid(), reads: ["c"]),
            ], outputs: ["d"])
        let planner = Planner(backends: [backend, ReferenceBackend()], threadCount: 1)
        for _ in 0..<2 {
            let plan = try planner.plan(graph)
            #expect(plan.layers.map { $0.considered.map(\.backend).contains("apart") } == [false, false, true, true])
        }
        #expect(asked.withLock { $0 } == ["a", "c", "d", "c", "d"])
    }

    /// A request that counts how often it is read.
    private struct Counted: SpecializedRequest {
        static let count = Mutex(0)

        static func takes(_ operation: any Operator) -> Bool { operation is Tanh }

        init(_ request: LoweringRequest) throws(LoweringRefusal) {
            Self.count.withLock { $0 += 1 }
            if request.outputs[0].rank != 2 { throw LoweringRefusal("not a matrix") }
        }
    }

    @Test("A request is read once for all lowerings, and once more for one image where the batch has several")
    func readsRequestsOnce() throws {
        func lowering(_ name: String) -> ScriptedBackend.Scripted {
            .init(name: name) { request in
                do throws(LoweringRefusal) {
                    _ = try request.specialized() as Counted
                } catch { return error.answer }
                return .accept(
                    Candidate(microseconds: 1, inputLayouts: [nil], outputLayouts: [.rowMajor]) { _ in NothingStep() })
            }
        }
        let backend = ScriptedBackend("counting", [lowering("first"), lowering("second"), lowering("third")])
        func reads(_ shape: [Int]) throws -> Int {
            var graph = Graph(name: "batch")
            let dimensions = [.symbol("N")] + shape.dropFirst().map { Dimension.fixed($0) }
            let x = graph.addValue("x", elementType: .float32, shape: Shape(dimensions))
            graph.inputs = [x]
            for (name, operation) in [("y", Tanh() as any Operator), ("z", Sigmoid())] {
                let output = graph.addValue(name)
                graph.nodes.append(Graph.Node(name: name, operation: operation, inputs: [x], outputs: [output]))
                graph.outputs.append(output)
            }
            Counted.count.withLock { $0 = 0 }
            _ = try Planner(backends: [backend, ReferenceBackend()], threadCount: 2)
                .plan(graph, inputShapes: [shape], packedWeights: PackedWeights())
            return Counted.count.withLock { $0 }
        }
        #expect(try reads([1, 3]) == 1)
        #expect(try reads([4, 3]) == 2)
        // What is refused is known as well.
        #expect(try reads([1, 3, 5]) == 1)
    }

    @Test("Of equal times the earlier lowering wins")
    func prefersEarlier() throws {
        func lowering(_ name: String) -> ScriptedBackend.Scripted {
            .init(name: name) { _ in
                .accept(
                    Candidate(microseconds: 0, inputLayouts: [nil], outputLayouts: [.rowMajor]) { _ in NothingStep() })
            }
        }
        let graph = try Graph.wired(inputs: [("x", [2])], nodes: [("y", Tanh(), reads: ["x"])], outputs: ["y"])
        let backend = ScriptedBackend("twice", [lowering("first"), lowering("second")])
        let plan = try Planner(backends: [backend], threadCount: 1).plan(graph)
        #expect(plan.layers.map(\.lowering) == ["first"])
    }

    @Test("A node that no backend runs is an error with every reason")
    func refusesNodesWithoutLowering() throws {
        let backend = ScriptedBackend("stubborn", [.init(name: "never") { _ in .decline("it does not want to") }])
        let graph = try Graph.wired(inputs: [("x", [2])], nodes: [("y", Tanh(), reads: ["x"])], outputs: ["y"])
        let error = #expect(throws: PlanningError.self) {
            try Planner(backends: [backend], threadCount: 1).plan(graph)
        }
        #expect(
            error.map { "\($0)" }
                == "node \"y\" (Tanh): no backend in use can run it: stubborn never: it does not want to")
    }

    @Test("A graph whose weights are not loaded is refused")
    func refusesMissingWeights() throws {
        let graph = try Graph.build("unloaded") { net in
            net.output("y", net.input("x", .float32, [1, 3, 8, 8]).convolution(4, kernel: 3))
        }
        let error = #expect(throws: PlanningError.self) { try Planner.reference.plan(graph) }
        #expect(
            error.map { "\($0)" } == "2 weights are not loaded, the first is \"\(graph[graph.missingWeights[0]].name)\""
        )
    }

    @Test("Inputs that a shape rule refuses are an error that names the node")
    func refusesShapes() throws {
        let graph = try Graph.wired(
            inputs: [("a", [2, 3]), ("b", [2, 4])], nodes: [("sum", Add(), reads: ["a", "b"])], outputs: ["sum"])
        let error = #expect(throws: PlanningError.self) { try Planner.reference.plan(graph) }
        #expect(error.map { "\($0)" }?.hasPrefix("node \"sum\" (Add): ") == true)
    }

    @Test("What nothing reads is not computed")
    func dropsDeadNodes() throws {
        let graph = try Graph.wired(
            inputs: [("x", [4])],
            nodes: [("dead", Exp(), reads: ["x"]), ("y", Tanh(), reads: ["x"]), ("deader", Exp(), reads: ["dead"])],
            outputs: ["y"])
        let plan = try Planner.reference.plan(graph)
        #expect(plan.layers.map(\.name) == ["y"])
        #expect(plan.arenaByteCount == 64)
    }

    @Test("An output that nothing reads keeps its memory to itself while it is written")
    func keepsDeadValuesApart() throws {
        var graph = Graph(name: "split")
        let x = graph.addValue("x", elementType: .float32, shape: [6])
        graph.inputs = [x]
        let (dead, kept) = (graph.addValue("dead"), graph.addValue("kept"))
        let y = graph.addValue("y")
        graph.nodes = [
            Graph.Node(name: "split", operation: Split(axis: 0, partCount: 2), inputs: [x], outputs: [dead, kept]),
            Graph.Node(name: "y", operation: Neg(), inputs: [kept], outputs: [y]),
        ]
        graph.outputs = [y]
        try graph.validate()
        let plan = try Planner.reference.plan(graph)
        #expect(try plan.outputs([try Tensor([Float](arrayLiteral: 1, 2, 3, 4, 5, 6), shape: [6])]) == [[-4, -5, -6]])
    }

    @Test("Inputs, weights and inner values can be outputs")
    func outputsAnything() throws {
        let graph = try Graph.wired(
            inputs: [("x", [2])], constants: [("w", try Tensor([Float](arrayLiteral: 5, 6), shape: [2]))],
            nodes: [("inner", Neg(), reads: ["x"]), ("last", Add(), reads: ["inner", "w"])],
            outputs: ["x", "w", "inner", "last"])
        let plan = try Planner.reference.plan(graph)
        #expect(plan.outputs.map(\.name) == ["x", "w", "inner", "last"])
        let outputs = try plan.outputs([try Tensor([Float](arrayLiteral: 1, 2), shape: [2])])
        #expect(outputs == [[1, 2], [5, 6], [-1, -2], [4, 4]])
    }

    @Test("A chain of 100,000 nodes is planned and run in the memory of two values")
    func plansLongChains() throws {
        var graph = Graph(name: "chain")
        var value = graph.addValue("x", elementType: .float32, shape: [4])
        graph.inputs = [value]
        for index in 0..<100_000 {
            let next = graph.addValue("value\(index)")
            graph.nodes.append(
                Graph.Node(name: "node\(index)", operation: Relu(), inputs: [value], outputs: [next]))
            value = next
        }
        graph.outputs = [value]
        let plan = try Planner.reference.plan(graph)
        #expect(plan.layers.count == 100_000)
        #expect(plan.arenaByteCount == 128)
        #expect(try plan.outputs([try Tensor([Float](arrayLiteral: 1, -2, 3, -4), shape: [4])]) == [[1, 0, 3, 0]])
    }
}
