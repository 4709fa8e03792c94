import Apus
import Graphs
import Images
import Testing

@Suite("Sessions of networks whose first axis is not a batch")
struct FirstAxisSessionTests {
    /// A network over x [N, 4] of one node.
    private func model(_ operation: any Operator, constants: [Tensor] = [], outputCount: Int = 1) throws -> Model {
        var graph = Graph(name: "rows")
        let x = graph.addValue("x", elementType: .float32, shape: Shape([.batch, 4]))
        let inputs = [x] + constants.enumerated().map { graph.addInitializer("constant\($0)", $1) }
        graph.inputs = [x]
        graph.outputs = (0..<outputCount).map { graph.addValue("y\($0)") }
        graph.nodes = [Graph.Node(name: "node", operation: operation, inputs: inputs, outputs: graph.outputs)]
        return try Model(graph)
    }

    /// x with n rows: 0, 1, 4, 9, …
    private func rows(_ count: Int) throws -> Tensor {
        try Tensor((0..<count * 4).map { Float($0 * $0) }, shape: [count, 4])
    }

    private func numbers(_ outputs: [String: Tensor]) -> [Float] { outputs["y0"]?.elements(as: Float.self) ?? [] }

    @Test("They are planned for the rows that come")
    func planned() async throws {
        let x = try rows(4)
        let numbers = x.elements(as: Float.self)
        let split = try await Session(model(Split(axis: 0, partCount: 2), outputCount: 2))
        let parts = try await split.predict(["x": x])
        #expect(self.numbers(parts) == Array(numbers[..<8]))
        #expect(parts["y1"]?.elements(as: Float.self) == Array(numbers[8...]))
        let six = try await split.predict(["x": try rows(6)])
        #expect(six["y1"]?.shape == [3, 4])

        let top = try await Session(model(TopK(axis: 0, k: 2), outputCount: 2)).predict(["x": x])
        #expect(self.numbers(top) == Array(numbers[12...] + numbers[8..<12]))

        let gemm = try await Session(
            model(Gemm(transA: true), constants: [try Tensor([Float](repeating: 1, count: 4), shape: [4, 1])]))
        #expect(
            self.numbers(try await gemm.predict(["x": x]))
                == (0..<4).map { column in (0..<4).reduce(0) { $0 + numbers[$1 * 4 + column] } })

        let reshape = try await Session(
            model(Reshape(), constants: [try Tensor([Int64(2), 2, 4], shape: [3])])
        ).predict(["x": x])
        #expect(reshape["y0"]?.shape == [2, 2, 4] && self.numbers(reshape) == numbers)

        let sums = try await Session(model(CumSum(), constants: [try Tensor([Int64(0)], shape: [])]))
        #expect(
            self.numbers(try await sums.predict(["x": x]))
                == (0..<16).map { index in stride(from: index % 4, through: index, by: 4).reduce(0) { $0 + numbers[$1] }
                })
    }

    @Test("What they refuse is said for the rows that came, also when the session has begun")
    func refused() async throws {
        let session = try await Session(model(Split(axis: 0, extents: [1, 2]), outputCount: 2))
        await #expect(throws: ApusError.self) { try await session.predict(["x": try rows(2)]) }
        #expect(try await session.predict(["x": try rows(3)])["y1"]?.shape == [2, 4])
        await #expect(throws: ApusError.self) { try await session.plan(forBatch: 1) }
        let plan = try await session.plan(forInputs: ["x": [3, 4]])
        #expect(plan.batching.hasPrefix("axis 0 is not a batch here: node \"node\" (Split)"))
    }

    @Test("Records of a batch do not change one another")
    func records() async throws {
        let scale = try Tensor([Float(1)], shape: [1])
        let operations: [(any Operator, [Tensor])] = [
            (Softmax(axis: 0), []), (LayerNormalization(axis: 0), [scale]),
            (CumSum(), [try Tensor([Int64(0)], shape: [])]),
            (Slice(starts: [-1], ends: [.max], axes: [0]), []),
        ]
        for (operation, constants) in operations {
            let session = try await Session(model(operation, constants: constants))
            let records = try (0..<3).map { row in
                ["x": try Tensor((0..<4).map { Float(row * 7 + $0 * $0) }, shape: [1, 4])]
            }
            let together = try await session.predict(records)
            for (record, answer) in zip(records, together) {
                #expect(numbers(answer) == numbers(try await session.predict(record)))
            }
        }
    }

    @Test("Pictures of a batch do not change one another")
    func pictures() async throws {
        let graph = try Graph.build("classifier") { net in
            let image = net.input("image", .float32, [.batch, 3, 4, 4])
            net.output("scores", image.softmax(axis: 0).flatten().linear(5))
        }
        let classifier = try await Classifier(Model(graph.seeded(3)))
        let images = try (0..<3).map { number in
            try Image(width: 4, height: 4, pixels: (0..<48).map { UInt8(truncatingIfNeeded: $0 * (number + 2)) })
        }
        var prepared: [PreparedPicture] = []
        for image in images { prepared.append(try await classifier.pictures.prepare(ImageSource.image(image))) }
        let together = try await classifier.core.answers(to: prepared)
        #expect(together.count == 3)
        for (picture, answer) in zip(prepared, together) {
            let alone = try await classifier.core.answers(to: [picture])[0].get()
            #expect(try answer.get().confidences == alone.confidences)
        }
    }
}
