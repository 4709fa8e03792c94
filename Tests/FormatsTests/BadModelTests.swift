import Formats
import Foundation
import Testing

/// A model file that must be refused, and the whole error message.
struct BadModel: Sendable, CustomTestStringConvertible {
    let content: Data
    let message: String
    let kind: FormatError.Kind

    init(_ model: ModelBytes, _ message: String, _ kind: FormatError.Kind = .invalid) {
        content = model.data
        self.message = message
        self.kind = kind
    }

    /// A graph with one Relu from `x` to `y`, and one change.
    init(_ message: String, _ kind: FormatError.Kind = .invalid, change: (inout ModelBytes) -> Void) {
        var model = ModelBytes.relu
        change(&model)
        self.init(model, message, kind)
    }

    var testDescription: String { message }
}

struct BadModelTests {
    @Test("Each bad model is one clear line", arguments: BadModel.structure + BadModel.types + BadModel.nodes)
    func refused(_ model: BadModel) throws {
        let error = #expect(throws: FormatError.self) { try ONNXFormat().read(model.content, folder: nil) }
        #expect(error?.description == model.message)
        #expect(error?.kind == model.kind)
    }

    @Test("A description is one line of limited length, whatever the file holds")
    func oneLine() {
        let name = "a\nb\u{1B}[2J\u{2028}" + String(repeating: "long", count: 100_000)
        let model = ModelBytes([node("Foo", ["x"], ["y"], name: name)])
        let error = #expect(throws: FormatError.self) { try ONNXFormat().read(model.data, folder: nil) }
        let description = error?.description ?? ""
        #expect(description.count < 700)
        #expect(description.hasPrefix("node \"a\\nb\\u{1B}[2J\\u{2028}longlong"))
        #expect(description.hasSuffix("operator Foo of ai.onnx 13 is not supported"))
    }
}

extension BadModel {
    static let structure: [BadModel] = [
        BadModel("the model holds no graph; the file may be cut short") { $0.hasGraph = false },
        BadModel("the model imports no operator set; the file may be cut short") { $0.operatorSets = [] },
        BadModel("the model names no version of the format; the file may be damaged") { $0.irVersion = nil },
        BadModel("the model needs operator set 99 of ONNX; Apus knows them up to 28", .unsupported) {
            $0.operatorSets = [("", 99)]
        },
        BadModel("the import of operator set ai.onnx -1 is not valid") { $0.operatorSets = [("", -1)] },
        BadModel("the import of operator set ai.onnx 9 is not valid") {
            $0.operatorSets = [("", 13), ("ai.onnx", 9)]
        },
        BadModel("the file is cut short or damaged") { $0.extraFields = [0x3A, 0x7F] },
        BadModel("the file holds a name that is not UTF-8 text; it is damaged") {
            $0.extraFields = serialized { $0.bytes(2, [0xC3, 0x28]) }
        },
        BadModel("the graph has no outputs") { $0.outputs = [] },
        BadModel("output \"z\": nothing provides it") { $0.outputs = [value("z", dimensions: [2])] },
        BadModel("input \"x\" is listed twice") { $0.inputs += $0.inputs },
        BadModel("an input has no name") { $0.inputs = [value("", dimensions: [2])] },
        BadModel("an initializer has no name") { $0.initializers = [tensor("", dimensions: [0])] },
        BadModel("initializer \"w\" is listed twice") {
            $0.initializers = [tensor("w", dimensions: [0]), tensor("w", dimensions: [0])]
        },
        BadModel("initializer \"s\": sparse tensors are not supported", .unsupported) {
            $0.extraGraphFields = serialized { $0.message(15) { $0.bytes(1, tensor("s", dimensions: [1])) } }
        },
    ]

    static let types: [BadModel] = [
        BadModel("input \"x\": declares no type") { $0.inputs = [serialized { $0.string(1, "x") }] },
        BadModel("input \"x\": declares no element type") { $0.inputs = [value("x", type: 0, dimensions: [2])] },
        BadModel("input \"x\": elements of type string are not supported", .unsupported) {
            $0.inputs = [value("x", type: 8, dimensions: [2])]
        },
        BadModel("input \"x\": element type 77 is not known", .unsupported) {
            $0.inputs = [value("x", type: 77, dimensions: [2])]
        },
        BadModel("input \"x\": is a sequence, not a tensor", .unsupported) {
            $0.inputs = [
                serialized { input in
                    input.string(1, "x")
                    input.message(2) { $0.message(4) { _ in } }
                }
            ]
        },
        BadModel("input \"x\": shape [2, -3] has a negative dimension") {
            $0.inputs = [value("x", dimensions: [2, -3])]
        },
        BadModel("input \"x\": shape [4294967296, 4294967296] holds more elements than can be addressed") {
            $0.inputs = [value("x", dimensions: [4_294_967_296, 4_294_967_296])]
        },
        BadModel("output \"y\": shape [-7] has a negative dimension") {
            $0.outputs = [value("y", dimensions: [-7])]
        },
        weight("shape [2, -3] has a negative dimension", tensor("w", dimensions: [2, -3])),
        weight(
            "shape [4294967296, 4294967296] holds more elements than can be addressed",
            tensor("w", dimensions: [4_294_967_296, 4_294_967_296])),
        weight(
            "shape [1099511627776] needs 4398046511104 bytes, but 4 are given",
            tensor("w", dimensions: [1_099_511_627_776]) { $0.bytes(9, [0, 0, 0, 0]) }),
        weight(
            "shape [1099511627776] holds 1099511627776 elements, but 0 are given",
            tensor("w", dimensions: [1_099_511_627_776])),
        weight(
            "shape [3] needs 12 bytes, but 11 are given",
            tensor("w", dimensions: [3]) { $0.bytes(9, [UInt8](repeating: 0, count: 11)) }),
        weight(
            "shape [3] holds 3 elements, but 2 are given",
            tensor("w", type: 7, dimensions: [3]) { $0.packed(7, [1, 2]) }),
        weight("300 is not a value of its element type", tensor("w", type: 2, dimensions: [1]) { $0.packed(5, [300]) }),
        weight(
            "its elements are given twice",
            tensor("w", dimensions: [1]) {
                $0.bytes(9, [0, 0, 0, 0])
                $0.float(4, 1)
            }),
        weight("declares no element type", tensor("w", type: 0, dimensions: [1])),
        weight("elements of type string are not supported", tensor("w", type: 8, dimensions: [1]), .unsupported),
        weight("elements of type complex64 are not supported", tensor("w", type: 14, dimensions: [1]), .unsupported),
        weight("element type 1000 is not known", tensor("w", type: 1000, dimensions: [1]), .unsupported),
        weight(
            "tensors stored in segments are not supported", tensor("w", dimensions: [1]) { $0.message(3) { _ in } },
            .unsupported),
        weight("external data: names no file", externalTensor("w", dimensions: [1], [:])),
        weight(
            "external data: \"w.bin\" lies beside the model, which was not read from a folder",
            externalTensor("w", dimensions: [1], ["location": "w.bin"]), .unsupported),
    ]

    private static func weight(
        _ message: String, _ tensor: [UInt8], _ kind: FormatError.Kind = .invalid
    ) -> BadModel {
        BadModel("initializer \"w\": \(message)", kind) { $0.initializers = [tensor] }
    }
}
