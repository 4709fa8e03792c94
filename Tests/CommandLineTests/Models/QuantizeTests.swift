import Foundation
import TestSupport
import Testing

@Suite("apus quantize: networks whose outputs no decoder reads")
struct QuantizeTests {
    private static func quantize(_ model: String, _ options: String..., in folder: URL) async throws -> Command.Outcome
    {
        try await Command.run(
            ["quantize", model, "--calibrate", Fixtures.path("photos"), "--pictures", "1", "--float-layers", "0"]
                + options + ["-o", "q.onnx"], in: folder)
    }

    @Test("Boxes are refused where apus predict refuses them, in the same words")
    func refusesBoxes() async throws {
        try await withTemporaryFolder { folder in
            let model = Fixtures.path(Fixtures.model)
            let found = try await Self.quantize(model, "--task", "detect", in: folder)
            let expected = try await Command.run("predict", model, Fixtures.path("photos"), "--task", "detect")
            #expect(found.status == 2 && found.status == expected.status && found.errorLines.count == 1)
            #expect(found.errors.contains("no decoder knows the outputs"), "\(found.errors)")
            #expect(found.errorLines.first == expected.errorLines.last)
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "q.onnx").path))
        }
    }

    @Test("Where only a file beside the network tells that it detects objects, a warning says that best classes decide")
    func saysThatBestClassesDecide() async throws {
        try await withTemporaryFolder { folder in
            for suffix in [".onnx", ".preprocessor_config.json"] {
                try FileManager.default.copyItem(
                    atPath: Fixtures.path("models/squeezenet1_1\(suffix)"),
                    toPath: folder.appending(path: "classes\(suffix)").path)
            }
            try Data("{}".utf8).write(to: folder.appending(path: "classes.postprocess.json"))
            let found = try await Self.quantize("classes.onnx", "--json", "--report", "page.html", in: folder)
            #expect(found.status == 0 && found.errorLines.count == 1, "\(found.errors)")
            #expect(found.errors.hasPrefix("apus: warning: classes.onnx: no decoder knows the outputs; name one of "))
            #expect(found.errors.hasSuffix("; agreement is that of best classes\n"))
            let figures = try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [String: Any]
            let problem = try #require(figures?["decodingProblem"] as? String)
            #expect(found.errors.contains(problem) && figures?["boxAgreement"] == nil)
            let page = try String(contentsOf: folder.appending(path: "page.html"), encoding: .utf8)
            #expect(page.contains("Boxes could not decide: classes.onnx: no decoder knows the outputs"))
        }
    }
}
