import Formats
import Foundation
import Tensors
import Testing

struct ModelContentTests {
    private static let numbers = (0..<20_000).map { Float($0) - 7 }

    private func weights(_ graph: [UInt8]...) throws -> [String: Tensor] {
        var content = ProtobufWriter()
        content.varint(1, 8)
        for part in graph { content.bytes(7, part) }
        content.message(8) { $0.varint(2, 18) }
        let read = try ONNXFormat().read(Data(content.bytes), folder: nil)
        return Dictionary(uniqueKeysWithValues: read.initializers.map { (read[$0.key].name, $0.value) })
    }

    @Test("A graph in parts is one graph, and of elements given twice the last count")
    func mergesMessages() throws {
        let first = serialized {
            $0.bytes(11, value("x", dimensions: [2]))
            $0.message(5) { tensor in
                tensor.bytes(9, bytes(of: [5, 6, 7]))
                tensor.varint(1, 2)
                tensor.varint(2, 1)
                tensor.string(8, "w")
                tensor.bytes(9, bytes(of: [1, 2]))
            }
        }
        let second = serialized {
            $0.bytes(1, node("Add", ["x", "w"], ["s"]))
            $0.bytes(1, node("Add", ["s", "v"], ["y"]))
            $0.message(5) { tensor in
                tensor.varint(1, 2)
                tensor.varint(2, 1)
                tensor.string(8, "v")
                tensor.bytes(4, bytes(of: [3, 4]))
            }
            $0.bytes(12, value("y", dimensions: [2]))
        }
        let weights = try weights(first, second)
        #expect(weights["w"]?.elements(as: Float.self) == [1, 2])
        #expect(weights["v"]?.elements(as: Float.self) == [3, 4])
    }

    @Test("Large weights of a file stay in it, and are those of the file in memory")
    func staysInFile() throws {
        let model = ModelBytes(
            [node("Add", ["x", "w"], ["y"])],
            initializers: [
                serialized {
                    $0.varint(1, Int64(Self.numbers.count))
                    $0.varint(2, 1)
                    $0.string(8, "w")
                    $0.bytes(9, bytes(of: Self.numbers))
                }
            ], inputs: [value("x", dimensions: [20_000])], outputs: [value("y", dimensions: [20_000])])
        let path = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).onnx").path
        try model.data.write(to: URL(fileURLWithPath: path))
        var status = stat()
        let descriptor = open(path, O_RDONLY)
        #expect(fstat(descriptor, &status) == 0)
        let graph = try ONNXFormat().read(ModelContent(descriptor: descriptor, status: status), folder: nil)
        let weight = try #require(graph.value(named: "w").flatMap { graph.initializers[$0] })
        #expect(weight.isPendingDerivation)
        try FileManager.default.removeItem(atPath: path)
        #expect(weight.elements(as: Float.self) == Self.numbers)
    }
}
