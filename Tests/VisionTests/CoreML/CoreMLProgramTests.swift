import Apus
import Foundation
import Testing

/// The packages of `make_coreml_program_fixtures.py`, with the answers of onnxruntime and NumPy.
@Suite("ML programs of Core ML")
struct CoreMLProgramTests {
    private struct Answers: Decodable {
        let inputs: [String: CoreMLLayerCase.Array]
        let outputs: [String: CoreMLLayerCase.Array]
        let tolerance: Float
    }

    private static let names = [
        "attention", "blocks", "convolutional", "convolutional_float16", "decoder", "linear_8", "linear_8_blocks",
        "negative_axes", "palette_1", "palette_2", "palette_4", "palette_6", "palette_8", "palette_groups",
        "palette_vectors", "scattering", "sparse", "sparse_codes",
    ]

    private func path(_ name: String) -> String {
        CoreMLLayerCase.folder.appending(path: "programs/\(name).mlpackage").path
    }

    @Test("Each program gives the answer of another implementation", arguments: names)
    func agrees(_ name: String) async throws {
        let content = try Data(contentsOf: CoreMLLayerCase.folder.appending(path: "programs.json"))
        let all = try JSONDecoder().decode([String: Answers].self, from: content)
        #expect(all.keys.sorted() == Self.names)
        let answers = try #require(all[name])
        let model = try Model(contentsOf: path(name))
        #expect(model.source.metadata["author"] == "Apus")
        let inputs = try answers.inputs.mapValues { try $0.tensor() }
        for backend in [BackendName.cpu, .reference] {
            let outputs = try await Session(model, options: .init(backends: [backend], threads: 1)).predict(inputs)
            #expect(outputs.count == answers.outputs.count)
            for (key, expected) in answers.outputs {
                let found = try #require(outputs[key])
                #expect(found.shape == expected.shape)
                let pairs = zip(found.elements(as: Float.self), expected.values)
                let worst = pairs.map { abs($0 - $1) / (1 + abs($1)) }.max() ?? 0
                #expect(worst < answers.tolerance, "\(backend), \(key): \(worst)")
            }
        }
    }

    /// The error of opening a changed copy of a package, if any; the copy is removed afterwards.
    private func changed(_ file: String, _ change: (inout Data) throws -> Void) throws -> ApusError? {
        let copy = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).mlpackage")
        defer { try? FileManager.default.removeItem(at: copy) }
        try FileManager.default.copyItem(atPath: path("convolutional"), toPath: copy.path)
        let place = copy.appending(path: file)
        var content = try Data(contentsOf: place)
        try change(&content)
        try content.write(to: place)
        do {
            _ = try Model(contentsOf: copy.path)
            return nil
        } catch {
            return error
        }
    }

    @Test("Places outside of a package are refused, and so are records beyond the weights")
    func hostile() throws {
        let up = try changed("Manifest.json") { manifest in
            let text = String(decoding: manifest, as: UTF8.self)
                .replacingOccurrences(of: "com.apple.CoreML/model.mlmodel", with: "../../outside/some.mlmodel.x")
            manifest = Data(text.utf8)
        }
        #expect("\(try #require(up))".contains("leads outside"))
        let weights = "Data/com.apple.CoreML/weights/weight.bin"
        let short = try changed(weights) { $0 = $0.prefix(100) }
        #expect("\(try #require(short))".contains("too few"))
        let wrapped = try changed(weights) { content in
            // The position of the first record's numbers.
            for index in 80..<88 { content[content.startIndex + index] = 0xFF }
        }
        #expect("\(try #require(wrapped))".contains("too few"))
        let other = try changed("Data/com.apple.CoreML/model.mlmodel") { content in
            while let range = content.range(of: Data("weights/weight.bin".utf8)) {
                content.replaceSubrange(range, with: Data("../../../../passwd".utf8))
            }
        }
        #expect("\(try #require(other))".contains("leads outside"))
        let manifest = try changed("Manifest.json") { $0 = Data("{\"itemInfoEntries\": 3}".utf8) }
        #expect("\(try #require(manifest))".contains("manifest"))
    }
}
