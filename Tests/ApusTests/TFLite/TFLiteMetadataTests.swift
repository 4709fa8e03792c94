import Foundation
import Testing

import Apus

/// What a file of TensorFlow Lite says about its pictures and classes; the file is made by
/// `Tests/Fixtures/make_tflite_metadata.py`.
struct TFLiteMetadataTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/tflite/labelled.tflite")

    @Test("The normalization and the names of the classes come from the file")
    func described() throws {
        let model = try Model(contentsOf: Self.file.path)
        let preprocessing = try #require(model.preprocessing)
        #expect(preprocessing.mean == [127.5] && preprocessing.standardDeviation == [127.5])
        #expect(preprocessing.channelOrder == .rgb)
        #expect((0..<3).map { model.labels?[$0] } == ["red", "green", "blue"])
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
