import Apus
import Graphs
import TestSupport
import Testing

@Suite("Answers out of range")
struct NotFiniteAnswerTests {
    private struct Picture: Dataset {
        func records() throws(ApusError) -> RecordListing {
            RecordListing([ImageRecord(id: "picture", source: .file(TestedNetworks.photo("rocket.jpg")))])
        }
    }

    @Test("A picture whose confidences are not numbers has an error and no classes")
    func isAnError() async throws {
        var graph = Graph(name: "roots of negative numbers")
        graph.inputs = [graph.addValue("image", elementType: .float32, shape: [.batch, 3, 8, 8])]
        graph.outputs = graph.inputs
        for operation in [GlobalAveragePool(), Flatten(axis: 1), Neg(), Sqrt()] as [any Operator] {
            let output = graph.addValue(type(of: operation).name)
            graph.nodes.append(
                Graph.Node(
                    name: "node \(graph.nodes.count)", operation: operation, inputs: graph.outputs, outputs: [output]))
            graph.outputs = [output]
        }
        let classifier = try await Classifier(Model(graph))
        var codes: [String] = []
        for try await record in classifier.predictions(over: Picture()) {
            if case .failure(let error) = record.classification { codes.append(error.code) }
        }
        #expect(codes == ["not-finite"])
    }
}
