import Apus
import TestSupport
import Testing

@Suite("Inputs that do not fit")
struct SessionInputTests {
    /// Two inputs that share a symbol.
    private func twoInputs() throws -> Model {
        let graph = try Graph.build("pair") { net in
            let first = net.input("first", .float32, [.batch, 4])
            let second = net.input("second", .float32, [.batch, 4])
            net.output("sum", first.linear(3) + second.linear(3))
        }
        return try Model(graph.seeded(1))
    }

    private func message(_ model: Model, _ inputs: [String: Tensor]) async throws -> String? {
        let session = try await Session(model)
        let error = await #expect(throws: ApusError.self) { try await session.predict(inputs) }
        #expect(error?.kind == .usage)
        return error.map { "\($0)" }
    }

    @Test("An input that is missing is named")
    func missing() async throws {
        let message = try await message(twoInputs(), ["first": .random([1, 4], seed: 1)])
        #expect(message == "pair: input \"second\" is missing")
    }

    @Test("An input that the network does not have is named, with those it has")
    func unknown() async throws {
        let tensor = try Tensor.random([1, 4], seed: 1)
        let message = try await message(twoInputs(), ["first": tensor, "second": tensor, "third": tensor])
        #expect(message == "pair: there is no input \"third\"; the inputs are first, second")
    }

    @Test("A value that the file holds cannot be given")
    func weights() async throws {
        let model = try TestedNetworks.small()
        let id = try #require(model.source.initializers.keys.min { $0.index < $1.index })
        let name = model.source[id].name
        let message = try await message(
            model, ["image": .random([1, 3, 16, 16], seed: 1), name: .random([1], seed: 1)])
        #expect(message?.contains("\"\(name)\" has its value in the file, and no other can be given") == true)
    }

    @Test(
        "An input of another shape is named with both shapes",
        arguments: [[1, 3, 16, 17], [3, 16, 16], [1, 1, 16, 16], [1, 3, 16, 16, 1]])
    func shape(_ shape: [Int]) async throws {
        let message = try await message(TestedNetworks.small(), ["image": .random(shape, seed: 1)])
        #expect(message == "small: input \"image\": the shape is \(shape); the network takes [N, 3, 16, 16]")
    }

    @Test("An input of another element type is named with both types")
    func elementType() async throws {
        let message = try await message(
            TestedNetworks.small(), ["image": Tensor(zeros: .uint8, shape: [1, 3, 16, 16])])
        #expect(message == "small: input \"image\": elements are uint8, not float32")
    }

    @Test("Inputs that disagree on a symbol are named with both numbers")
    func symbols() async throws {
        let message = try await message(
            twoInputs(), ["first": .random([2, 4], seed: 1), "second": .random([3, 4], seed: 1)])
        #expect(message == "pair: N is 2 in input \"first\" and 3 in input \"second\"")
    }

    @Test("Records of a batch that lack an input, have one too many, or differ in extents, are refused")
    func records() async throws {
        var graph = Graph(name: "pool")
        let (input, output) = (
            graph.addValue("image", elementType: .float32, shape: [.batch, 3, .symbol("H"), .symbol("W")]),
            graph.addValue("means")
        )
        graph.inputs = [input]
        graph.outputs = [output]
        graph.nodes = [Graph.Node(name: "means", operation: GlobalAveragePool(), inputs: [input], outputs: [output])]
        let session = try await Session(Model(graph))
        let image = try Tensor.random([1, 3, 16, 16], seed: 1)
        let shapes = "the records of a batch have an extent of 1 along the first axis and otherwise equal extents"
        let batches: [([[String: Tensor]], String)] = [
            ([["image": image], ["picture": image]], "there is no input \"picture\"; the inputs are image"),
            ([["image": image], [:]], "input \"image\" is missing"),
            (
                [["image": image], ["image": image, "mask": image]],
                "there is no input \"mask\"; the inputs are image"
            ),
            (
                [["image": image], ["image": try .random([1, 3, 16, 8], seed: 1)]],
                "input \"image\" of a record is [1, 3, 16, 8]; \(shapes)"
            ),
            (
                [["image": try .random([2, 3, 16, 16], seed: 1)]],
                "input \"image\" of a record is [2, 3, 16, 16]; \(shapes)"
            ),
        ]
        for (batch, message) in batches {
            let error = await #expect(throws: ApusError.self) { try await session.predict(batch) }
            #expect(error.map { "\($0)" } == "pool: \(message)")
            #expect(error?.kind == .usage)
        }
        #expect(try await session.predict([["image": image]]).count == 1)
    }

    @Test("An empty batch is refused or gives an empty answer, and the session goes on")
    func emptyBatch() async throws {
        let session = try await Session(TestedNetworks.small())
        let nothing = try Tensor(zeros: .float32, shape: [0, 3, 16, 16])
        do {
            let answer = try await session.predict(["image": nothing])
            #expect(answer["scores"]?.shape == [0, 5])
        } catch {
            #expect(error.kind == .usage, "\(error)")
        }
        let image = try Tensor.random([1, 3, 16, 16], seed: 1)
        #expect(try await session.predict(["image": image])["scores"]?.shape == [1, 5])
    }
}
