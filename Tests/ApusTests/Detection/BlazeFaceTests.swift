import Apus
import Images
import Testing

@Suite("MediaPipe's detectors of faces")
struct BlazeFaceTests {
    private func signature(_ count: Int, edge: Int) -> DetectorSignature {
        DetectorSignature(
            model: "m",
            outputs: [
                .init(name: "regressors", shape: [1, count, 16]), .init(name: "classificators", shape: [1, count, 1]),
            ], inputSize: ImageSize(width: edge, height: edge))
    }

    @Test("Boxes and points lie relative to the middle of their cell")
    func decoding() throws {
        let decoder = try BlazeFaceDecoder(signature(896, edge: 128), DetectionConfiguration())
        var numbers = [Float](repeating: 0, count: 896 * 16)
        var logits = [Float](repeating: -200, count: 896)
        // The second anchor of column 3 and row 5 of 16 × 16 cells, and the last of column 7 and row 2 of 8 × 8.
        let (first, second) = ((5 * 16 + 3) * 2 + 1, 512 + (2 * 8 + 7) * 6 + 5)
        numbers.replaceSubrange(first * 16..<first * 16 + 6, with: [6.4, -3.2, 32, 64, 1.28, 2.56])
        (logits[first], logits[second]) = (2, 0.5)
        let found = try decoder.candidates(
            in: [try Tensor(numbers, shape: [1, 896, 16]), try Tensor(logits, shape: [1, 896, 1])],
            inputSize: ImageSize(width: 128, height: 128), above: 0.5)
        #expect(found.count == 2)
        let face = found[0]
        #expect(abs(face.confidence - 0.880797) < 1e-5 && face.points.count == 6)
        for (edge, expected) in zip(
            [face.left, face.top, face.right, face.bottom], [0.14375, 0.06875, 0.39375, 0.56875])
        {
            #expect(abs(edge - Float(expected)) < 1e-5)
        }
        #expect(abs(face.points[0].x - 0.22875) < 1e-5 && abs(face.points[0].y - 0.36375) < 1e-5)
        #expect(abs(found[1].points[5].x - 7.5 / 8) < 1e-5 && abs(found[1].points[5].y - 2.5 / 8) < 1e-5)
    }

    @Test("The number of anchors tells the grids, and other numbers are refused")
    func shapes() throws {
        #expect(BlazeFaceDecoder.recognizes(signature(896, edge: 128)))
        #expect(BlazeFaceDecoder.recognizes(signature(896, edge: 256)))
        #expect(BlazeFaceDecoder.recognizes(signature(2304, edge: 192)))
        #expect(!BlazeFaceDecoder.recognizes(signature(2304, edge: 128)))
        #expect(BlazeFaceDecoder.isToldByNames(signature(896, edge: 128)))
        #expect(throws: ApusError.self) {
            try BlazeFaceDecoder(signature(895, edge: 128), DetectionConfiguration())
        }
        let decoder = try BlazeFaceDecoder(signature(896, edge: 128), DetectionConfiguration())
        let short = try Tensor([Float](repeating: 0, count: 16), shape: [1, 1, 16])
        #expect(throws: RecordError.self) {
            try decoder.candidates(in: [short, short], inputSize: ImageSize(width: 128, height: 128), above: 0.5)
        }
    }
}
