import Apus
import TestSupport
import Testing

/// Operators of TensorFlow Lite against LiteRT's reference kernels: integers exactly, numbers within a tolerance.
struct TFLiteOperatorTests {
    @Test("The plain evaluation answers as LiteRT does", arguments: TFLiteCase.all)
    func reference(_ testCase: TFLiteCase) async throws { try await testCase.check([.reference]) }

    @Test("The processor's kernels answer as LiteRT does", arguments: TFLiteCase.all)
    func processor(_ testCase: TFLiteCase) async throws { try await testCase.check([.cpu]) }

    @Test("All cases are there")
    func count() { #expect(TFLiteCase.all.count > 200) }
}
