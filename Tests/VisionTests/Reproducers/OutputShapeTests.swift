import Apus
import Graphs
import Testing

@Suite("Outputs that do not fit a dictionary or a batch")
struct OutputShapeTests {
    private func model(_ operation: any Operator, outputCount: Int) throws -> Model {
        var graph = Graph(name: "one node")
        graph.inputs = [graph.addValue("x", elementType: .float32, shape: [.batch, 2])]
        let output = graph.addValue("y")
        graph.nodes = [Graph.Node(name: "node", operation: operation, inputs: graph.inputs, outputs: [output])]
        graph.outputs = [Graph.ValueID](repeating: output, count: outputCount)
        return try Model(graph)
    }

    @Test("A value that is an output twice is given once")
    func isGivenOnce() async throws {
        let session = try await Session(try model(Neg(), outputCount: 2))
        let outputs = try await session.predict(["x": try Tensor([Float(1), 2], shape: [1, 2])])
        #expect(outputs.mapValues { $0.elements(as: Float.self) } == ["y": [-1, -2]])
    }

    @Test("An output without a row for every record is misuse of a batch")
    func needsRows() async throws {
        let session = try await Session(try model(Transpose(), outputCount: 1))
        let record = ["x": try Tensor([Float(1), 2], shape: [1, 2])]
        let error = await #expect(throws: ApusError.self) { try await session.predict([record, record, record]) }
        #expect(
            error.map { "\($0)" } == "one node: output \"y\" is [2, 3], not one row for each of 3 records")
    }
}
