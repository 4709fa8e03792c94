import Formats
import Foundation
import Testing

struct ForeignContentTests {
    static let cases: [(content: [UInt8], message: String)] = [
        ([], "the file is empty"),
        (
            Array("<!DOCTYPE html>\n<html>".utf8),
            "the file is a web page, not a model; download the model itself"
        ),
        (Array("\u{FEFF}\r\n <HTML>".utf8), "the file is a web page, not a model; download the model itself"),
        (
            Array("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 4949296\n".utf8),
            "the file is a Git LFS pointer, not the model; run \"git lfs pull\" to fetch it"
        ),
        (Array("{\"id2label\": {}}".utf8), "the file is JSON, not a model"),
        (
            Array("PK\u{3}\u{4}archive/data.pkl".utf8),
            "the file is a ZIP archive, as PyTorch writes; export the model as ONNX"
        ),
        ([0x1F, 0x8B, 0x08], "the file is compressed with gzip; unpack it first"),
        ([0x80, 0x02, 0x8A], "the file is a Python pickle, as PyTorch writes; export the model as ONNX"),
        ([0x89, 0x48, 0x44, 0x46, 0x0D], "the file is HDF5, as Keras writes; export the model as ONNX"),
        (Array("GGUF\u{3}".utf8), "the file is a GGUF model, which Apus does not read"),
        (
            Array("\u{1C}\0\0\0TFL3".utf8),
            "the file is a TensorFlow Lite model"
        ),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A], "the file is a PNG picture, not a model"),
        ([0xFF, 0xD8, 0xFF, 0xE0], "the file is a JPEG picture, not a model"),
        (Array("Dear reader,".utf8), "the file is not a model that Apus reads (ONNX)"),
        (Array(repeating: 0, count: 100), "the file is not a model that Apus reads (ONNX)"),
    ]

    @Test("Files that are no models are called what they are", arguments: cases.indices)
    func foreign(_ index: Int) throws {
        let (content, message) = Self.cases[index]
        let formats: [any ModelFormat] = [.onnx]
        let error = #expect(throws: FormatError.self) { try formats.format(of: ModelContent(Data(content))) }
        #expect(error?.description == message)
        #expect(error?.kind != .unreadable)
        #expect(throws: FormatError.self) { try ONNXFormat().read(Data(content), folder: nil) }
    }

    @Test("An ONNX file is recognized, whole or cut, also as a slice of other bytes")
    func recognized() throws {
        let content = ModelBytes.relu.data
        for count in 1...content.count { #expect(ONNXFormat().recognizes(content.prefix(count))) }
        let slice = (Data([0, 0, 0]) + content).dropFirst(3)
        #expect(ONNXFormat().recognizes(slice))
        #expect(try ONNXFormat().read(slice, folder: nil).nodes.count == 1)
    }

    @Test("A Core ML model is not taken for ONNX")
    func coreML() {
        let content = serialized { model in
            model.varint(1, 4)
            model.message(2) { _ in }
            model.message(500) { _ in }
        }
        #expect(!ONNXFormat().recognizes(Data(content)))
    }
}
