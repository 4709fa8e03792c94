import Apus
import Foundation
import Images
import TestSupport
import Testing

@Suite("Depth of pixels")
struct DepthEstimatorTests {
    static let folder = TestedNetworks.fixtures.appending(path: "tasks")

    private func estimator(_ range: ClosedRange<Float>? = nil) async throws -> DepthEstimator {
        let model = try Model(contentsOf: Self.folder.appending(path: "depth.onnx").path)
        return try await DepthEstimator(model, depth: .init(range: range))
    }

    private let picture = ImageSource.file(folder.appending(path: "small.png").path)

    @Test("Maps come at the picture's size as PyTorch resizes them, with their figures")
    func reference() async throws {
        let depth = try await estimator().predict(picture)
        let expected = try Tensor(contentsOfNumPyFile: Self.folder.appending(path: "depth.npy").path)
        let numbers = depth.values.elements(as: Float.self)
        let others = expected.elements(as: Float.self)
        #expect(depth.values.shape == [43, 61] && depth.imageSize == ImageSize(width: 61, height: 43))
        #expect(zip(numbers, others).allSatisfy { abs($0 - $1) < 1e-4 })
        let sorted = numbers.sorted()
        #expect(depth.minimum == sorted.first && depth.maximum == sorted.last)
        // 61 × 43 is odd.
        #expect(depth.median == sorted[sorted.count / 2] && depth.range == depth.minimum...depth.maximum)
        let drawn = try depth.drawing()
        #expect(drawn.size == depth.imageSize && Set(drawn.pixels).count > 20)
    }

    @Test("A request gives the same, and a range that is given is kept")
    func request() async throws {
        let estimator = try await estimator(-1...1)
        let depth = try await estimator.predict(picture)
        #expect(depth.range == -1...1)
        let handler = try ImageRequestHandler(picture)
        let other = try await handler.perform(PredictionRequest(estimator))
        #expect(other.values.elements(as: Float.self) == depth.values.elements(as: Float.self))
    }

    @Test("A map with numbers that are not finite is an error of the picture")
    func infinite() async throws {
        let maps: [Float] = [.infinity, 1, 1, 1, 1, 4, 4, 4, 4, .nan]
        let some = try await DepthEstimator(SegmenterTests.model(maps, [1, 1, 10]), preprocessing: nil)
        await #expect(throws: RecordError.self) { try await some.predict(picture) }
        let nothing = try await DepthEstimator(SegmenterTests.model([.nan, .nan, .nan, .nan], [1, 2, 2]))
        await #expect(throws: RecordError.self) { try await nothing.predict(picture) }
    }

    @Test("A network without one map is refused, and its name tells one that has it")
    func refused() async throws {
        await #expect(throws: ApusError.self) {
            try await DepthEstimator(SegmenterTests.model([1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 2]))
        }
        let model = try Model(contentsOf: Self.folder.appending(path: "depth.onnx").path)
        #expect(model.purpose.task == .depth && model.purpose.evidence.contains("predicted_depth"))
    }
}
