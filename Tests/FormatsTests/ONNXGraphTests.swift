import Formats
import Foundation
import Graphs
import Tensors
import Testing

struct ONNXGraphTests {
    private func read(_ model: ModelBytes) throws -> Graph {
        try ONNXFormat().read(model.data, folder: nil)
    }

    @Test("Names, types and metadata arrive in the graph")
    func mapping() throws {
        var model = ModelBytes([node("Relu", ["x"], ["h"], name: "first"), node("Relu", ["h"], ["y"])])
        model.extraFields = serialized {
            $0.string(2, "pytorch")
            $0.string(3, "2.5")
            $0.string(6, "a test\nof two lines")
            $0.varint(5, 7)
            for (key, value) in [("classes", "1000"), ("producer_name", "someone else")] {
                $0.message(14) {
                    $0.string(1, key)
                    $0.string(2, value)
                }
            }
        }
        let graph = try read(model)
        #expect(graph.name == "test")
        #expect(graph.nodes.map(\.name) == ["first", "y"])
        #expect(graph.nodes.map(\.operatorName) == ["Relu", "Relu"])
        #expect(graph.inputs.map { graph[$0].name } == ["x"])
        #expect(graph.outputs.map { graph[$0].name } == ["y"])
        #expect(graph[graph.inputs[0]].elementType == .float32)
        #expect(graph[graph.inputs[0]].shape == [2, 3])
        #expect(graph[graph.outputs[0]].shape == [2, 3])
        #expect(
            graph.metadata == [
                "ir_version": "8", "opset_import": "ai.onnx 13", "producer_name": "pytorch", "producer_version": "2.5",
                "model_version": "7", "doc_string": "a test\nof two lines", "classes": "1000",
            ])
    }

    @Test("Nodes are sorted, and their names made unique")
    func order() throws {
        let graph = try read(
            ModelBytes([
                node("Relu", ["b"], ["y"], name: "same"), node("Relu", ["a"], ["b"], name: "same"),
                node("Relu", ["x"], ["a"], name: "same_2"),
            ]))
        #expect(graph.nodes.map(\.name) == ["same_2_2", "same_2", "same"])
        #expect(Set(graph.nodes.map(\.name)).count == 3)
    }

    @Test("An input that has an initializer is a weight")
    func weightsAmongInputs() throws {
        let graph = try read(
            ModelBytes(
                [node("Add", ["x", "w"], ["y"])],
                initializers: [tensor("w", dimensions: [3]) { $0.bytes(9, bytes(of: [1, 2, 3])) }],
                inputs: [value("w", dimensions: [3]), value("x", dimensions: [2, 3])]))
        #expect(graph.inputs.map { graph[$0].name } == ["x"])
        let weight = try #require(graph.value(named: "w"))
        #expect(graph.initializers[weight]?.elements(as: Float.self) == [1, 2, 3])
    }

    @Test("Extents without a number get a name")
    func symbols() throws {
        let inputs = [
            value("x", dimensions: ["batch", 3, "height", .missing]), value("z", dimensions: [.missing, 0, 5]),
            value("u", dimensions: [-1, 3]), value("v", dimensions: nil), value("x_3", dimensions: [1, "z_1"]),
        ]
        let graph = try read(
            ModelBytes([node("Relu", ["x"], ["y"])], inputs: inputs, outputs: [value("y", dimensions: nil)]))
        let shapes = graph.inputs.map { graph[$0].shape }
        #expect(shapes[0] == [.symbol("batch"), 3, .symbol("height"), .symbol("x_3")])
        #expect(shapes[1] == [.symbol("N"), .symbol("z_1_"), 5])
        #expect(shapes[2] == [.symbol("N"), 3])
        #expect(shapes[3] == nil)
        #expect(graph[graph.outputs[0]].shape == nil)
    }

    @Test("What stands for extents that are not known does not make them equal")
    func placeholders() throws {
        let inputs = [
            value("x", dimensions: ["?", 3, "?", "?"]), value("y", dimensions: ["None", "None", 5]),
            value("z", dimensions: [-1, -1, -1]),
        ]
        let graph = try read(
            ModelBytes([node("Relu", ["x"], ["a"])], inputs: inputs, outputs: [value("a", dimensions: nil)]))
        let shapes = graph.inputs.map { graph[$0].shape }
        #expect(shapes[0] == [.batch, 3, .symbol("x_2"), .symbol("x_3")])
        #expect(shapes[1] == [.batch, .symbol("y_1"), 5])
        #expect(shapes[2] == [.batch, .symbol("z_1"), .symbol("z_2")])
    }

    @Test("Absent inputs and outputs have no value")
    func absent() throws {
        let graph = try read(
            ModelBytes(
                [node("Clip", ["x", "", "high"], ["y"])],
                initializers: [tensor("high", dimensions: []) { $0.bytes(9, bytes(of: [6])) }]))
        let clip = try #require(graph.nodes.first)
        #expect(clip.inputs.map { $0.map { graph[$0].name } } == ["x", nil, "high"])
    }

    @Test("Attributes reach the operator, with and without a declared type")
    func attributes() throws {
        for type: Int64? in [2, nil] {
            let axis = serialized {
                $0.string(1, "axis")
                $0.varint(3, 0)
                if let type { $0.varint(20, type) }
            }
            let model = ModelBytes(
                [node("Concat", ["x", "x"], ["y"], attributes: [axis])], outputs: [value("y", dimensions: [4, 3])])
            let graph = try read(model)
            let concat = try #require(graph.nodes.first?.operation as? Concat)
            #expect(concat.axis == 0)
        }
    }

    @Test("A function that no node calls does no harm")
    func unusedFunction() throws {
        var model = ModelBytes.relu
        model.extraFields = serialized { $0.message(25) { $0.string(1, "Gelu") } }
        #expect(try read(model).nodes.count == 1)
    }

    @Test("Models older than operator sets are read as version 1")
    func oldModel() throws {
        var model = ModelBytes.relu
        model.irVersion = 2
        model.operatorSets = []
        #expect(try read(model).metadata["opset_import"] == "ai.onnx 1")
    }

    @Test("An output that is listed twice is one output of the network")
    func repeatedOutputs() throws {
        var model = ModelBytes.relu
        model.outputs += model.outputs
        let graph = try ONNXFormat().read(model.data, folder: nil)
        #expect(graph.outputs.map { graph[$0].name } == ["y"])
    }

    @Test("First extents without a name are none that a file names")
    func unnamedExtents() throws {
        var model = ModelBytes([node("Relu", ["x"], ["y"])])
        model.inputs = [value("x", dimensions: [.missing, .symbol("N"), 3])]
        model.outputs = [value("y", dimensions: [.missing, .symbol("N"), 3])]
        let graph = try ONNXFormat().read(model.data, folder: nil)
        let dimensions = graph[graph.inputs[0]].shape?.dimensions ?? []
        #expect(dimensions.count == 3 && dimensions[0] != dimensions[1] && dimensions[1] == .symbol("N"))
    }
}
