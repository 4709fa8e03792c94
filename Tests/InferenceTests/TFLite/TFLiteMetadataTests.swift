import Apus
import Formats
import Foundation
import TestSupport
import Testing

/// The description of pictures and classes in TensorFlow Lite files, which are made by
/// `Tests/Fixtures/make_tflite_metadata.py`.
struct TFLiteMetadataTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/tflite")
    private static let file = folder.appendingPathComponent("labelled.tflite")
    private static let parameters = folder.appendingPathComponent("parameters.tflite")

    @Test("The parameters of MLTK name the classes and standardize each picture")
    func modelParameters() throws {
        let model = try Model(contentsOf: Self.parameters.path)
        #expect((0..<3).map { model.labels?[$0] } == ["red", "green", "blue"])
        let preprocessing = try #require(model.preprocessing)
        #expect(preprocessing.standardizesEachImage && preprocessing.scale == 0.5)
        #expect(preprocessing.mean == [0] && preprocessing.standardDeviation == [1])
        #expect(model.origins.labels == .metadata("SL_PARAMSv1"))
        #expect(model.origins.preprocessing == .metadata("SL_PARAMSv1"))
    }

    @Test("Labels that the metadata name but that cannot be read are told")
    func unreadableLabels() throws {
        let whole = try Data(contentsOf: Self.file)
        #expect(try TFLiteFormat().importModel(ModelContent(whole), folder: nil).warnings.isEmpty)
        let entry = try #require(whole.range(of: Data([0x50, 0x4B, 1, 2])))
        var compressed = whole
        compressed[entry.lowerBound + 10] = 8
        var missing = whole
        missing[entry.lowerBound + 46] ^= 1
        for (bytes, reason) in [(compressed, "which is compressed"), (missing, "which is not in the archive")] {
            let imported = try TFLiteFormat().importModel(ModelContent(bytes), folder: nil)
            #expect(imported.labels == nil && imported.warnings.count == 1)
            #expect(imported.warnings.first?.contains("\"labels.txt\"") == true)
            #expect(imported.warnings.first?.contains(reason) == true, "\(imported.warnings)")
        }
    }

    @Test("Parameters with any byte changed, or cut short, are read or refused")
    func damagedParameters() throws {
        let whole = try Data(contentsOf: Self.parameters)
        var (read, refused) = (0, 0)
        for change: UInt8 in [1, 0x80, 0xFF] {
            for position in whole.indices {
                var bytes = whole
                bytes[position] ^= change
                do {
                    _ = try TFLiteFormat().importModel(ModelContent(bytes), folder: nil)
                    read += 1
                } catch {
                    refused += 1
                }
            }
        }
        #expect(read > 0 && refused > 0 && read + refused == 3 * whole.count)
        let part = try #require(whole.range(of: Data("samplewise_norm.rescale".utf8)))
        // 0.5 becomes infinite: the double comes before its key in the table.
        let half = try #require(whole.range(of: Data([0, 0, 0, 0, 0, 0, 0xE0, 0x3F]), options: [], in: whole.indices))
        #expect(part.lowerBound != half.lowerBound)
        var infinite = whole
        infinite.replaceSubrange(half, with: [0, 0, 0, 0, 0, 0, 0xF0, 0x7F])
        let error = #expect(throws: FormatError.self) {
            try TFLiteFormat().importModel(ModelContent(infinite), folder: nil)
        }
        #expect(error?.description.contains("samplewise_norm.rescale is inf") == true)
    }

    @Test("The normalization and the names of the classes come from the file")
    func described() throws {
        let model = try Model(contentsOf: Self.file.path)
        let preprocessing = try #require(model.preprocessing)
        #expect(preprocessing.mean == [127.5] && preprocessing.standardDeviation == [127.5])
        #expect(preprocessing.channelOrder == .rgb)
        #expect((0..<3).map { model.labels?[$0] } == ["red", "green", "blue"])
        #expect(model.origins.preprocessing == .metadata("TFLITE_METADATA"))
    }

    @Test("A network of integers cannot be exported, and the refusal says why")
    func integers() throws {
        let refusals = TFLiteCase.all.lazy.compactMap { example -> String? in
            guard let graph = try? TFLiteFormat().read(ModelContent(example.model), folder: nil),
                graph.nodes.contains(where: { $0.operatorName == "IntegerConv" }),
                let model = try? Model(graph, name: "integers")
            else { return nil }
            return #expect(throws: ApusError.self) { try model.onnx() }.map { "\($0)" } ?? ""
        }
        let refusal = try #require(refusals.first)
        #expect(refusal.contains("ONNX has no such operator") && refusal.contains("a float model"), "\(refusal)")
    }

    @Test("A damaged archive gives no names, and is no error")
    func damaged() throws {
        let whole = try Data(contentsOf: Self.file)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let archive = try #require(whole.range(of: Data("PK\u{3}\u{4}".utf8))).lowerBound
        for position in archive..<whole.count {
            var bytes = whole
            bytes[position] ^= 0xFF
            let path = folder.appendingPathComponent("\(position).tflite")
            try bytes.write(to: path)
            #expect((try Model(contentsOf: path.path).labels?.count ?? 0) <= 3)
        }
        let cut = folder.appendingPathComponent("cut.tflite")
        try whole[..<archive].write(to: cut)
        #expect(try Model(contentsOf: cut.path).labels == nil)
    }
}
