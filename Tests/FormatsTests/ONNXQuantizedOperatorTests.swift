import Formats
import Testing

struct ONNXQuantizedOperatorTests {
    @Test(
        "Quantized operators of onnxruntime with too few inputs, or asking for more than is read, are one clear line",
        arguments: [
            ("QLinearAdd", 0, "has 0 inputs, too few"), ("QLinearAdd", 6, "has 6 inputs, too few"),
            ("QLinearSigmoid", 3, "has 3 inputs, too few"), ("QLinearConcat", 2, "has 2 inputs; 2 and 3 for each part"),
            ("QLinearConcat", 6, "has 6 inputs; 2 and 3 for each part"), ("QGemm", 4, "has 4 inputs, too few"),
            ("QGemm", 7, "a product whose result is not quantized"),
            ("QLinearWhere", 4, "com.microsoft"),
        ])
    func refused(_ name: String, _ count: Int, _ message: String) throws {
        let inputs = [String](repeating: "x", count: count)
        let model = ModelBytes([node(name, inputs, ["y"], domain: "com.microsoft")])
        let error = #expect(throws: FormatError.self) { try ONNXFormat().read(model.data, folder: nil) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "no error")")
    }

    @Test("A quantized operator has one output")
    func outputs() throws {
        let inputs = [String](repeating: "x", count: 8)
        let model = ModelBytes([node("QLinearAdd", inputs, ["y", "z"], domain: "com.microsoft")])
        let error = #expect(throws: FormatError.self) { try ONNXFormat().read(model.data, folder: nil) }
        #expect(error?.description.contains("has 2 outputs; 1 expected") == true)
    }
}
