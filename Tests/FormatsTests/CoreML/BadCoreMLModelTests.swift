import Foundation
import Testing

import Formats

/// A Core ML file that must be refused, and its error message.
struct BadCoreMLModel: Sendable, CustomTestStringConvertible {
    let name: String
    let content: Data
    let message: String

    var testDescription: String { name }

    init(_ name: String, _ bytes: [UInt8], _ message: String) {
        self.name = name
        content = Data(bytes)
        self.message = message
    }

    /// A network with one input `x` [3, 4, 4], one layer of a kind, and the output `y`.
    init(_ name: String, layer field: Int, _ message: String, write: (inout ProtobufWriter) -> Void) {
        self.init(name, CoreMLBytes.network(layer: field, write), message)
    }
}

/// Writes Core ML files byte by byte.
enum CoreMLBytes {
    /// - Parameter ranges: The minimum and the maximum extent of each axis; −1 for no maximum.
    static func description(
        _ model: inout ProtobufWriter, inputShape: [Int64] = [3, 4, 4], ranges: [(Int64, Int64)] = []
    ) {
        model.message(2) { description in
            description.message(1) { input in
                input.string(1, "x")
                input.message(3) { type in
                    type.message(5) { array in
                        array.packed(1, inputShape)
                        guard !ranges.isEmpty else { return }
                        array.message(31) { shape in
                            for (lower, upper) in ranges {
                                shape.message(1) { range in
                                    range.varint(1, lower)
                                    range.varint(2, upper)
                                }
                            }
                        }
                    }
                }
            }
            description.message(10) { output in
                output.string(1, "y")
                output.message(3) { $0.message(5) { _ in } }
            }
        }
    }

    static func model(
        version: Int64 = 4, kind: Int = 500, inputShape: [Int64] = [3, 4, 4], ranges: [(Int64, Int64)] = [],
        _ write: (inout ProtobufWriter) -> Void
    ) -> [UInt8] {
        serialized { model in
            model.varint(1, version)
            description(&model, inputShape: inputShape, ranges: ranges)
            model.message(kind, write)
        }
    }

    static func layer(_ network: inout ProtobufWriter, _ field: Int, _ write: (inout ProtobufWriter) -> Void) {
        network.message(1) { layer in
            layer.string(1, "layer")
            layer.string(2, "x")
            layer.string(3, "y")
            layer.message(field, write)
        }
    }

    static func network(layer field: Int, _ write: (inout ProtobufWriter) -> Void) -> [UInt8] {
        model { layer(&$0, field, write) }
    }

    /// An inner product with 48 inputs and `outputs` outputs, whose weights `write` stores.
    static func product(outputs: Int64 = 2, _ write: (inout ProtobufWriter) -> Void) -> [UInt8] {
        network(layer: 140) { parameters in
            parameters.varint(1, 48)
            parameters.varint(2, outputs)
            parameters.message(20, write)
        }
    }

    static func convolution(group: Int64 = 1, stride: Int64 = 1, outputs: Int64 = 2) -> [UInt8] {
        network(layer: 100) { parameters in
            parameters.varint(1, outputs)
            parameters.varint(2, 3)
            parameters.varint(10, group)
            parameters.packed(20, [1, 1])
            parameters.packed(30, [stride, stride])
            parameters.message(90) { $0.bytes(1, bytes(of: [Float](repeating: 1, count: 6))) }
        }
    }

    /// Pipelines nested `depth` times.
    static func pipelines(depth: Int) -> [UInt8] {
        var inner = model { layer(&$0, 130) { $0.message(10) { _ in } } }
        for _ in 0..<depth { inner = model(kind: 202) { $0.bytes(1, inner) } }
        return inner
    }

    /// Branches nested `depth` times.
    static func branches(depth: Int) -> [UInt8] {
        var inner: [UInt8] = serialized { layer(&$0, 130) { $0.message(10) { _ in } } }
        for _ in 0..<depth {
            inner = serialized { network in layer(&network, 605) { $0.bytes(1, inner) } }
        }
        return model(inputShape: [1]) { $0.append(inner) }
    }
}

struct BadCoreMLModelTests {
    @Test("Each bad model is refused by one clear line, soon", arguments: BadCoreMLModel.all)
    func refused(_ model: BadCoreMLModel) throws {
        #expect(CoreMLFormat().recognizes(model.content), "is not recognized")
        let error = #expect(throws: FormatError.self) {
            try CoreMLFormat().importFeatures(ModelContent(model.content), folder: nil)
        }
        #expect(error?.description.contains(model.message) == true, "\(error?.description ?? "")")
    }

    @Test("A good model of the same making is read")
    func accepted() throws {
        let content = Data(CoreMLBytes.convolution())
        let graph = try CoreMLFormat().read(content, folder: nil)
        #expect(graph.nodes.map(\.operatorName) == ["Conv"])
    }

    @Test("An axis whose extent is 0 in the file is open where it has a range")
    func flexibleExtents() throws {
        func shape(_ extents: [Int64], _ ranges: [(Int64, Int64)]) throws -> [String] {
            let content = CoreMLBytes.model(inputShape: extents, ranges: ranges) { network in
                CoreMLBytes.layer(&network, 130) { $0.message(10) { _ in } }
            }
            let graph = try CoreMLFormat().read(Data(content), folder: nil)
            return try #require(graph[graph.inputs[0]].shape).dimensions.suffix(3).map(\.description)
        }
        #expect(try shape([3, 1800, 0], [(3, 3), (1800, 1800), (1, -1)]) == ["3", "1800", "x_2"])
        #expect(try shape([3, 1800, 0], [(3, 3), (1800, 1800), (8, 4000)]) == ["3", "1800", "x_2"])
        #expect(try shape([3, 0, 0], [(3, 3), (0, 64), (32, 32)]) == ["3", "x_1", "32"])
        for ranges: [(Int64, Int64)] in [[], [(3, 3), (4, 4)], [(3, 3), (4, 4), (9, 0)], [(3, 3), (4, 4), (0, 0)]] {
            let error = #expect(throws: FormatError.self) { try shape([3, 4, 0], ranges) }
            #expect(error?.description.contains("leaves axis 2 open, and it") == true)
        }
        #expect(throws: FormatError.self) { try shape([3, 4, 0], [(3, 3), (4, 4), (1 << 50, -1)]) }
    }

    @Test("A model cut anywhere is refused, and never trusted")
    func truncated() throws {
        let whole = CoreMLBytes.convolution()
        for count in 0..<whole.count {
            #expect(throws: FormatError.self) {
                try CoreMLFormat().importModel(ModelContent(Data(whole.prefix(count))), folder: nil)
            }
        }
    }

    @Test("A model with any byte changed is read or refused")
    func damaged() {
        for whole in [
            CoreMLBytes.convolution(), CoreMLBytes.product { $0.bytes(1, bytes(of: .init(repeating: 1, count: 96))) },
        ] {
            for index in whole.indices {
                for change: UInt8 in [1, 0x80, 0xFF] {
                    var content = whole
                    content[index] ^= change
                    _ = try? CoreMLFormat().importFeatures(ModelContent(Data(content)), folder: nil)
                }
            }
        }
    }
}

extension BadCoreMLModel {
    private static let big: Int64 = 1 << 40

    static let all: [BadCoreMLModel] = [
        BadCoreMLModel(
            "version 9999", CoreMLBytes.model(version: 9999) { _ in }, "needs version 9999 of Core ML's format"),
        BadCoreMLModel("no version", CoreMLBytes.model(version: 0) { _ in }, "names no version"),
        BadCoreMLModel("custom model", CoreMLBytes.model(kind: 555) { _ in }, "custom model is code of an app"),
        BadCoreMLModel("encrypted model", CoreMLBytes.model(kind: 3000) { _ in }, "encrypted"),
        BadCoreMLModel("unknown kind", CoreMLBytes.model(kind: 777) { _ in }, "kind 777 are not known"),
        BadCoreMLModel("no layers", CoreMLBytes.model { _ in }, "output \"y\": nothing provides it"),
        BadCoreMLModel("custom layer", layer: 500, "custom layers are code of an app") { _ in },
        BadCoreMLModel("unknown layer", layer: 5000, "kind 5000 of layers is not known") { _ in },
        BadCoreMLModel("a kind that is refused", layer: 1170, "random numbers") { _ in },
        BadCoreMLModel("group larger than channels", CoreMLBytes.convolution(group: big), "groups"),
        BadCoreMLModel("stride 0", CoreMLBytes.convolution(stride: 0), "strides"),
        BadCoreMLModel("stride of 2⁴⁰", CoreMLBytes.convolution(stride: big), "strides"),
        BadCoreMLModel("2³⁰ output channels", CoreMLBytes.convolution(outputs: 1 << 30), "do not fill 24 bytes"),
        BadCoreMLModel("2⁴⁰ output channels", CoreMLBytes.convolution(outputs: big), "more elements than"),
        BadCoreMLModel(
            "input of 2⁴⁰ × 2⁴⁰", CoreMLBytes.model(inputShape: [big, big, 3]) { _ in }, "more elements than"),
        BadCoreMLModel("negative input", CoreMLBytes.model(inputShape: [-3, 4, 4]) { _ in }, "not valid"),
        BadCoreMLModel(
            "2³⁰ outputs", CoreMLBytes.product(outputs: 1 << 30) { $0.bytes(1, [0, 0, 0, 0]) }, "do not fill 4 bytes"),
        BadCoreMLModel(
            "2⁶² outputs", CoreMLBytes.product(outputs: 1 << 62) { $0.bytes(1, [0, 0, 0, 0]) }, "more elements than"),
        BadCoreMLModel(
            "too few weights", CoreMLBytes.product { $0.bytes(1, bytes(of: [1, 2, 3])) }, "do not fill 12 bytes"),
        BadCoreMLModel(
            "half numbers of odd length", CoreMLBytes.product { $0.bytes(2, [UInt8](repeating: 0, count: 191)) },
            "do not fill 191 bytes"),
        BadCoreMLModel("no weights", CoreMLBytes.product { _ in }, "holds no numbers"),
        BadCoreMLModel(
            "weights given twice",
            CoreMLBytes.product {
                $0.bytes(1, [UInt8](repeating: 0, count: 384))
                $0.bytes(2, [UInt8](repeating: 0, count: 192))
            }, "in more than one place"),
        BadCoreMLModel(
            "65-bit quantisation", quantized(bits: 65) { $0.message(101) { $0.bytes(1, bytes(of: [1])) } },
            "65 bits; 1 to 8 are possible"),
        BadCoreMLModel(
            "0-bit quantisation", quantized(bits: 0) { $0.message(101) { $0.bytes(1, bytes(of: [1])) } },
            "0 bits; 1 to 8 are possible"),
        BadCoreMLModel(
            "three scales for two rows", quantized(bits: 8) { $0.message(101) { $0.bytes(1, bytes(of: [1, 2, 3])) } },
            "3 scales"),
        BadCoreMLModel(
            "short table", quantized(bits: 8) { $0.message(102) { $0.bytes(1, bytes(of: [1, 2, 3])) } },
            "a table of 3 numbers"),
        BadCoreMLModel("neither scales nor table", quantized(bits: 8) { _ in }, "without scales or a table"),
        BadCoreMLModel("3,000 nested pipelines", CoreMLBytes.pipelines(depth: 3000), "deep"),
        BadCoreMLModel("3,000 nested branches", CoreMLBytes.branches(depth: 3000), "deep"),
        BadCoreMLModel(
            "2 million empty layers",
            CoreMLBytes.model { network in for _ in 0..<2_000_000 { network.message(1) { _ in } } },
            "a list of more than"),
        BadCoreMLModel(
            "a tree that goes in circles",
            CoreMLBytes.model(kind: 302) { trees in
                trees.message(1) { ensemble in
                    for node: Int64 in 0..<2 {
                        ensemble.message(1) {
                            $0.varint(2, node)
                            $0.varint(12, 1 - node)
                            $0.varint(13, 1 - node)
                        }
                    }
                    ensemble.varint(2, 1)
                }
            }, "two parents"),
        BadCoreMLModel(
            "2⁴⁰ results of trees",
            CoreMLBytes.model(kind: 302) { $0.message(1) { $0.varint(2, big) } }, "gives \(big) numbers"),
    ]

    private static func quantized(bits: Int64, _ write: (inout ProtobufWriter) -> Void) -> [UInt8] {
        CoreMLBytes.product { weights in
            weights.bytes(30, [UInt8](repeating: 1, count: 96))
            weights.message(40) { quantization in
                quantization.varint(1, bits)
                write(&quantization)
            }
        }
    }
}
