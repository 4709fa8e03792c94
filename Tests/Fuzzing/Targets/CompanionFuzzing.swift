import Apus
import Foundation
import Images
import Tensors

/// Reads the files that accompany models and pictures.
enum CompanionFuzzing {
    static func run(_ bytes: [UInt8]) throws {
        guard let kind = bytes.first else { return }
        let content = Data(bytes.dropFirst())
        switch kind % 8 {
        case 0: _ = try Preprocessing(huggingFaceJSON: content)
        case 1: try inFile(content, "labels.txt") { path in _ = try Labels(contentsOf: path) }
        case 2: try inFile(content, "array.npy") { path in _ = try Tensor(contentsOfNumPyFile: path) }
        case 3: try inFile(content, "list.csv", list)
        case 4: try inFile(content, "list.jsonl", list)
        case 5: try inFile(content, "pictures.npz", list)
        case 7: _ = try Preprocessing(json: String(decoding: content, as: UTF8.self))
        default: try inFile(content, "pictures.tar", list)
        }
    }

    private static func list(_ path: String) throws {
        let records = try Catalog.dataset(of: [path], DatasetKind.Options()).records()
        for record in try records.next(64) { _ = try? record.source.image(.init(maximumPixelCount: 1 << 16)) }
    }

    private static func inFile(_ content: Data, _ name: String, _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-fuzz-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent(name)
        try content.write(to: file)
        try body(file.path)
    }
}
