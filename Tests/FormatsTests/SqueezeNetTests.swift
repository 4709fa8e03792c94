import Formats
import Foundation
import Graphs
import Testing

struct SqueezeNetTests {
    @Test("A real network arrives whole")
    func reads() throws {
        let graph = try ONNXFormat().read(try Fixtures.squeezeNet(), folder: nil)
        #expect(graph.name == "squeezenet11")
        #expect(graph.nodes.count == 65)
        #expect(graph.initializers.count == 52)
        #expect(graph.parameterCount == 1_235_496)
        #expect(graph.nodes.first?.name == "conv1")
        #expect(graph.inputs.map { graph[$0].name } == ["data"])
        #expect(graph[graph.inputs[0]].shape == [.batch, 3, 227, 227])
        #expect(graph.outputs.map { graph[$0].name } == ["prob"])
        let types = try graph.inferTypes(inputShapes: [[4, 3, 227, 227]])
        #expect(types[graph.outputs[0].index]?.shape == [4, 1000])
    }
}
