import ConformanceCases
import Formats
import Graphs
import Tensors
import Testing

struct ONNXQuantizedOperatorTests {
    @Test(
        "Quantized operators of onnxruntime with too few inputs, or asking for more than is read, are one clear line",
        arguments: [
            ("QLinearAdd", 0, "has 0 inputs, too few"), ("QLinearAdd", 6, "has 6 inputs, too few"),
            ("QLinearSigmoid", 3, "has 3 inputs, too few"), ("QLinearConcat", 2, "has 2 inputs; 2 and 3 for each part"),
            ("QLinearConcat", 6, "has 6 inputs; 2 and 3 for each part"), ("QGemm", 4, "has 4 inputs, too few"),
            ("QLinearWhere", 4, "com.microsoft"), ("DynamicQuantizeLSTM", 8, "has 8 inputs; 12 expected"),
        ])
    func refused(_ name: String, _ count: Int, _ message: String) throws {
        let inputs = [String](repeating: "x", count: count)
        let model = ModelBytes([node(name, inputs, ["y"], domain: "com.microsoft")])
        let error = #expect(throws: FormatError.self) { try ONNXFormat().read(model.data, folder: nil) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "no error")")
    }

    private func floats(_ name: String, _ dimensions: [Int64], _ numbers: [Float]) -> [UInt8] {
        tensor(name, dimensions: dimensions) { for number in numbers { $0.float(4, number) } }
    }

    private func bytes(_ name: String, type: Int64, _ dimensions: [Int64], _ numbers: [UInt8]) -> [UInt8] {
        tensor(name, type: type, dimensions: dimensions) { $0.bytes(9, numbers) }
    }

    @Test("A product without a scale of its result gives floating-point numbers, times its factor")
    func floatingPointProduct() throws {
        let product = node(
            "QGemm", ["a", "as", "az", "b", "bs", "bz", "c"], ["y"], domain: "com.microsoft",
            attributes: [attribute("alpha", type: 1) { $0.float(2, 0.5) }])
        let model = ModelBytes(
            [product],
            initializers: [
                bytes("a", type: 2, [1, 2], [3, 5]), floats("as", [], [0.5]), bytes("az", type: 2, [], [1]),
                bytes("b", type: 2, [2, 1], [7, 4]), floats("bs", [], [2]), bytes("bz", type: 2, [], [2]),
                tensor("c", type: 6, dimensions: [1]) { $0.varint(5, 100) },
            ],
            inputs: [], outputs: [value("y", dimensions: [1, 1])])
        let graph = try ONNXFormat().read(model.data, folder: nil)
        // 0.5 · 0.5 · 2 · ((3 − 1) · (7 − 2) + (5 − 1) · (4 − 2) + 100)
        #expect(try ReferenceEvaluation.run(graph, [])[0].elements(as: Float.self) == [59])
    }

    @Test("DequantizeLinear of onnxruntime's domain is ONNX's, of every type")
    func dequantization() throws {
        let model = ModelBytes(
            [node("DequantizeLinear", ["x", "s", "z"], ["y"], domain: "com.microsoft")],
            initializers: [
                tensor("x", type: 5, dimensions: [2]) { $0.bytes(9, [0xE8, 0x03, 0x18, 0xFC]) }, floats("s", [], [0.5]),
                tensor("z", type: 5, dimensions: []) { $0.bytes(9, [10, 0]) },
            ],
            inputs: [], outputs: [value("y", dimensions: [2])])
        let graph = try ONNXFormat().read(model.data, folder: nil)
        #expect(try ReferenceEvaluation.run(graph, [])[0].elements(as: Float.self) == [495, -505])
    }

    @Test("A quantized operator has one output")
    func outputs() throws {
        let inputs = [String](repeating: "x", count: 8)
        let model = ModelBytes([node("QLinearAdd", inputs, ["y", "z"], domain: "com.microsoft")])
        let error = #expect(throws: FormatError.self) { try ONNXFormat().read(model.data, folder: nil) }
        #expect(error?.description.contains("has 2 outputs; 1 expected") == true)
    }

    @Test("An LSTM of 8-bit weights is one of the numbers that they stand for", arguments: [1, 4])
    func recurrence(scaleCount: Int64) throws {
        func integers(_ name: String, _ dimensions: [Int64], _ numbers: [Int8]) -> [UInt8] {
            tensor(name, type: 3, dimensions: dimensions) { $0.bytes(9, numbers.map { UInt8(bitPattern: $0) }) }
        }
        let scaleShape = scaleCount == 1 ? [1] : [1, scaleCount]
        let (scales, zeroPoints) = ([0.5, 0.25, 1, 2] as [Float], [1, 0, -3, 2] as [Int8])
        let count = Int(scaleCount)
        let recurrence = node(
            "DynamicQuantizeLSTM", ["x", "w", "r", "", "", "", "", "", "s", "z", "s", "z"], ["", "y"],
            domain: "com.microsoft",
            attributes: [attribute("hidden_size", type: 2) { $0.varint(3, 1) }])
        let model = ModelBytes(
            [recurrence],
            initializers: [
                integers("w", [1, 2, 4], [1, 2, 3, 4, 5, 6, 7, 8]), integers("r", [1, 1, 4], [-1, -2, -3, -4]),
                floats("s", scaleShape, Array(scales[..<count])),
                integers("z", scaleShape, Array(zeroPoints[..<count])),
            ],
            inputs: [value("x", dimensions: [3, 1, 2])], outputs: [value("y", dimensions: [1, 1, 1])])
        let graph = try Rewrites.declutter(ONNXFormat().read(model.data, folder: nil)).graph
        #expect(graph.nodes.map(\.operatorName) == ["LSTM"])
        func weights(_ position: Int) -> [Float]? {
            graph.nodes[0].inputs[position].flatMap { graph.initializers[$0]?.elements(as: Float.self) }
        }
        func expected(_ rows: [[Float]]) -> [Float] {
            (0..<4).flatMap { column in
                rows.map { ($0[column] - Float(zeroPoints[column % count])) * scales[column % count] }
            }
        }
        #expect(weights(1) == expected([[1, 2, 3, 4], [5, 6, 7, 8]]))
        #expect(weights(2) == expected([[-1, -2, -3, -4]]))
    }
}
