import ConformanceCases
import Formats
import Graphs
import Tensors
import Testing

/// A node in the form of an old version of ONNX.
struct OldForm: Sendable, CustomTestStringConvertible {
    let name: String
    let version: Int
    var attributes: [String: AttributeValue] = [:]
    /// The shapes of the inputs that a caller gives.
    let inputs: [[Int]]
    /// Constant inputs, which come after the caller's.
    var constants: [[Float]] = []
    var outputCount = 1
    /// The expected operators in the file.
    let written: [String]

    var testDescription: String { "\(name) \(version) \(attributes.keys.sorted())" }

    func graph() throws -> Graph {
        var graph = Graph(name: name)
        for (index, shape) in inputs.enumerated() {
            graph.inputs.append(graph.addValue("x\(index)", elementType: .float32, shape: Shape(shape)))
        }
        let constants = try constants.enumerated().map { index, numbers in
            graph.addInitializer("c\(index)", try Tensor(numbers, shape: [numbers.count]))
        }
        var form = ONNXNodeForm(
            name: name, version: version, attributes: attributes,
            inputs: (graph.inputs + constants).map { graph[$0].name })
        let type = try #require(Operators.find(ONNXHistory.successors[name] ?? name))
        let (operation, unread) = try form.operation(type, outputCount: outputCount)
        #expect(unread.isEmpty)
        let operands = form.inputs.enumerated().map { position, name in
            form.constants[position].map { graph.addInitializer("c\(position)", $0) } ?? graph.value(named: name)
        }
        graph.outputs = (0..<outputCount).map { graph.addValue("y\($0)") }
        graph.nodes = [
            Graph.Node(name: "node", operation: operation, inputs: operands, outputs: graph.outputs)
        ]
        try graph.validate()
        return graph
    }

    static let all: [OldForm] = [
        OldForm(
            name: "Add", version: 6, attributes: ["broadcast": .int(1), "axis": .int(1)],
            inputs: [[2, 3, 4, 5], [3]], written: ["Unsqueeze", "Add"]),
        OldForm(
            name: "Mul", version: 6, attributes: ["broadcast": .int(1), "axis": .int(-4)],
            inputs: [[2, 3, 4, 5], [2, 3]], written: ["Unsqueeze", "Mul"]),
        OldForm(
            name: "Sub", version: 6, attributes: ["broadcast": .int(1)], inputs: [[2, 3], [3]], written: ["Sub"]),
        OldForm(name: "PRelu", version: 6, inputs: [[2, 3, 4, 5], [3]], written: ["Unsqueeze", "PRelu"]),
        OldForm(
            name: "Softmax", version: 11, inputs: [[2, 3, 4, 5]], written: ["Flatten", "Softmax", "Shape", "Reshape"]),
        OldForm(name: "LogSoftmax", version: 11, inputs: [[2, 3, 1, 1]], written: ["LogSoftmax"]),
        OldForm(
            name: "Softmax", version: 11, attributes: ["axis": .int(2)], inputs: [[2, 3, 4]], written: ["Softmax"]),
        OldForm(
            name: "Upsample", version: 7, attributes: ["scales": .floats([1, 1, 2, 3])], inputs: [[1, 2, 3, 4]],
            written: ["Resize"]),
        OldForm(
            name: "Resize", version: 10, attributes: ["mode": .string("linear")], inputs: [[1, 2, 3, 4]],
            constants: [[1, 1, 2, 1.5]], written: ["Resize"]),
        OldForm(
            name: "Resize", version: 11, attributes: ["mode": .string("cubic")], inputs: [[1, 2, 3, 4]],
            constants: [[], [1, 1, 2, 1.5]], written: ["Resize"]),
        OldForm(name: "Dropout", version: 7, inputs: [[2, 3]], outputCount: 2, written: ["Dropout", "Cast"]),
        OldForm(
            name: "Clip", version: 6, attributes: ["min": .float(0.25), "max": .float(0.5)], inputs: [[2, 3]],
            written: ["Clip"]),
        OldForm(name: "Clip", version: 6, attributes: ["max": .float(0.5)], inputs: [[2, 3]], written: ["Clip"]),
        OldForm(
            name: "Pad", version: 2, attributes: ["pads": .ints([0, 1, 2, 0]), "value": .float(3)],
            inputs: [[2, 3]], written: ["Pad"]),
        OldForm(
            name: "Slice", version: 1, attributes: ["starts": .ints([1]), "ends": .ints([-1]), "axes": .ints([1])],
            inputs: [[2, 5]], written: ["Slice"]),
        OldForm(
            name: "Split", version: 11, attributes: ["split": .ints([1, 2]), "axis": .int(1)], inputs: [[2, 3]],
            outputCount: 2, written: ["Split"]),
        OldForm(name: "Split", version: 13, inputs: [[2, 3]], outputCount: 2, written: ["Split"]),
        OldForm(
            name: "ReduceMean", version: 13, attributes: ["axes": .ints([2, 3]), "keepdims": .int(0)],
            inputs: [[1, 2, 3, 4]], written: ["ReduceMean"]),
        OldForm(name: "ReduceMax", version: 13, inputs: [[2, 3]], written: ["ReduceMax"]),
        OldForm(
            name: "Squeeze", version: 11, attributes: ["axes": .ints([0])], inputs: [[1, 1, 3]], written: ["Squeeze"]),
        OldForm(
            name: "Unsqueeze", version: 11, attributes: ["axes": .ints([1, 3])], inputs: [[2, 3]],
            written: ["Unsqueeze"]),
        OldForm(
            name: "Reshape", version: 1, attributes: ["shape": .ints([0, -1])], inputs: [[2, 3, 4]],
            written: ["Reshape"]),
        OldForm(name: "Concat", version: 1, inputs: [[2, 3], [2, 1]], written: ["Concat"]),
    ]
}

@Suite("Exported forms of operators")
struct ExportedFormTests {
    @Test("What old versions of ONNX said is written as today's says it", arguments: OldForm.all)
    func oldForm(_ form: OldForm) throws {
        let graph = try form.graph()
        let content = try ONNXFormat().write(graph)
        let copy = try ONNXFormat().read(content, folder: nil)
        #expect(copy.nodes.map(\.operatorName) == form.written)
        #expect(copy.metadata["opset_import"] == "ai.onnx 18")
        var generator = SplitMix64(seed: 1)
        let inputs = try form.inputs.map { shape in
            try Tensor((0..<shape.reduce(1, *)).map { _ in Float.random(in: -1...1, using: &generator) }, shape: shape)
        }
        let expected = try ReferenceEvaluation.run(graph, inputs)
        let found = try ReferenceEvaluation.run(copy, inputs)
        #expect(found.map(\.shape) == expected.map(\.shape))
        #expect(found.map(\.elementType) == expected.map(\.elementType))
        #expect(found.map { $0.elements(as: Double.self) } == expected.map { $0.elements(as: Double.self) })
    }

    @Test("What was fused is written as nodes of its own, under names that are free")
    func fused() throws {
        var graph = Graph(name: "fused")
        let x = graph.addValue("x", elementType: .float32, shape: [.batch, 4])
        let h = graph.addValue("h")
        let y = graph.addValue("h.before_relu")
        graph.inputs = [x]
        graph.outputs = [y]
        graph.nodes = [
            Graph.Node(name: "a", operation: Add(activation: .relu), inputs: [x, x], outputs: [h]),
            Graph.Node(
                name: "a.relu", operation: Sum(activation: .clip(low: -.infinity, high: 6)), inputs: [h, x, x],
                outputs: [y]),
        ]
        let copy = try ONNXFormat().read(try ONNXFormat().write(graph), folder: nil)
        #expect(copy.nodes.map(\.operatorName) == ["Add", "Relu", "Sum", "Clip"])
        #expect(copy.nodes.map(\.name) == ["a", "a.relu_2", "a.relu", "a.relu.clip"])
        #expect(
            copy.nodes.flatMap(\.outputs).compactMap { $0.map { copy[$0].name } }
                == ["h.before_relu_2", "h", "h.before_relu.before_clip", "h.before_relu"])
        #expect(copy[copy.outputs[0]].shape == [.batch, 4])
    }

    @Test("A version of ONNX that has the operator is chosen")
    func newerOperatorSet() throws {
        let form = OldForm(name: "Gelu", version: 20, inputs: [[2, 3]], written: ["Gelu"])
        let copy = try ONNXFormat().read(try ONNXFormat().write(try form.graph()), folder: nil)
        #expect(copy.metadata["opset_import"] == "ai.onnx 20")
    }

    @Test("What ONNX cannot say is refused")
    func refused() throws {
        let coordinates = ["coordinate_transformation_mode": AttributeValue.string("tf_half_pixel_for_nn")]
        let form = OldForm(
            name: "Resize", version: 11, attributes: coordinates, inputs: [[2, 3]],
            constants: [[], [1, 2]], written: [])
        let error = #expect(throws: FormatError.self) { try ONNXFormat().write(try form.graph()) }
        #expect(
            error?.description == "node \"node\" (Resize): not supported: "
                + "\"tf_half_pixel_for_nn\" is in ONNX only before version 13")
        #expect(error?.kind == .unsupported)
        let unloaded = try Networks.squeezeNet1_1()
        #expect(throws: FormatError.self) { try ONNXFormat().write(unloaded) }
    }

    @Test("Arrays of every element type arrive as they were", arguments: ElementType.allCases)
    func arrays(_ elementType: ElementType) throws {
        var graph = Graph(name: "")
        let array = try Tensor([0.0, 1, 1, 0, 1, 1] as [Double], as: elementType, shape: [2, 3]).transposed([1, 0])
        let arrays = [
            array, try Tensor([1.0] as [Double], as: elementType, shape: []),
            try Tensor(zeros: elementType, shape: [0, 2]),
        ]
        graph.outputs = arrays.enumerated().map { graph.addInitializer("a\($0)", $1) }
        graph.inputs = [graph.addValue("x", elementType: .float32, shape: [1])]
        graph.metadata = ["classes": "5", "doc_string": "d", "model_version": "3", "producer_name": "other"]
        let copy = try ONNXFormat().read(try ONNXFormat().write(graph), folder: nil)
        let found = copy.outputs.compactMap { copy.initializers[$0] }
        #expect(found.map(\.elementType) == arrays.map(\.elementType))
        #expect(found.map(\.shape) == arrays.map(\.shape))
        #expect(found.map { $0.elements(as: Double.self) } == arrays.map { $0.elements(as: Double.self) })
        #expect(copy.metadata["classes"] == "5" && copy.metadata["doc_string"] == "d")
        #expect(copy.metadata["model_version"] == "3" && copy.metadata["producer_name"] == "apus")
    }
}
