import Apus
import Formats
import Foundation
import TestSupport
import Testing

/// Networks of several operators against LiteRT's reference kernels, many with extents that the file leaves open. They
/// are made by `Tests/Fixtures/make_tflite_network_fixtures.py`.
struct TFLiteNetworkTests {
    private static let cases = TFLiteCase.cases(of: "tflite/networks.json")

    @Test("The plain evaluation answers as LiteRT does, also for other extents than the file's", arguments: cases)
    func reference(_ testCase: TFLiteCase) async throws { try await testCase.check([.reference]) }

    @Test("The processor's kernels answer as LiteRT does, also for other extents than the file's", arguments: cases)
    func processor(_ testCase: TFLiteCase) async throws { try await testCase.check([.cpu]) }

    @Test("All cases are there")
    func count() { #expect(Self.cases.count > 30) }

    @Test("An output that is a constant has its own name, and one that is listed twice a second one")
    func names() throws {
        func outputs(_ name: String) throws -> [String] {
            let found = try #require(Self.cases.first { $0.name == name })
            let graph = try TFLiteFormat().read(found.model, folder: nil)
            return graph.outputs.map { graph[$0].name }
        }
        #expect(try outputs("constant") == ["fixed", "t1"])
        #expect(try outputs("twice") == ["t1", "t1_2"])
    }

    @Test("Signatures are told with the names of their tensors")
    func signatures() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fixtures/tflite/signatures.tflite")
        let metadata = try Model(contentsOf: file.path).source.metadata
        #expect(metadata["signature encode"] == "features (t0) → code (t1)")
        #expect(metadata["signature decode"] == "code (t0) → t1; not read")
    }
}
