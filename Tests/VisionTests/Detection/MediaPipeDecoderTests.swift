import Apus
import Images
import Testing

@Suite("MediaPipe's detectors")
struct MediaPipeDecoderTests {
    private func signature(_ count: Int, edge: Int, numbers: Int = 16) -> DetectorSignature {
        DetectorSignature(
            model: "m",
            outputs: [
                .init(name: "regressors", shape: [1, count, numbers]),
                .init(name: "classificators", shape: [1, count, 1]),
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

    @Test("Palms have 7 points, and people 4", arguments: [(2016, 192, 18), (2254, 224, 12), (896, 128, 12)])
    func others(_ count: Int, _ edge: Int, _ numbers: Int) throws {
        let signature = signature(count, edge: edge, numbers: numbers)
        let fitting = Catalog.decoders.filter { $0.isToldByShapes(signature) }
        #expect(fitting.map { $0.name } == [numbers == 18 ? .mediapipePalm : .mediapipePerson])
        let type = try #require(fitting.first)
        let decoder = try type.init(signature, DetectionConfiguration())
        // The last anchor lies in the last cell of the coarsest grid.
        var rows = [Float](repeating: 0, count: count * numbers)
        var logits = [Float](repeating: -200, count: count)
        rows.replaceSubrange((count - 1) * numbers..<(count - 1) * numbers + 4, with: [0, 0, Float(edge), Float(edge)])
        logits[count - 1] = 1
        let size = ImageSize(width: edge, height: edge)
        let found = try decoder.candidates(
            in: [try Tensor(rows, shape: [1, count, numbers]), try Tensor(logits, shape: [1, count, 1])],
            inputSize: size, above: 0.5)
        let cells = Float(edge) / (numbers == 12 && edge == 224 ? 32 : 16)
        let object = try #require(found.first)
        #expect(found.count == 1 && object.points.count == numbers / 2 - 2)
        #expect(abs(object.left - (cells - 0.5) / cells + 0.5) < 1e-5 && object.points[0].x == (cells - 0.5) / cells)
        let steps = type.customaryPreprocessing(to: size)
        let black = numbers == 18 ? Float(0) : -1
        #expect(steps.mean == [-black] && abs(255 * steps.scale - steps.mean[0] - 1) < 1e-6)
    }

    @Test("The number of anchors tells the grids, and other numbers are refused")
    func shapes() throws {
        #expect(BlazeFaceDecoder.recognizes(signature(896, edge: 128)))
        #expect(BlazeFaceDecoder.recognizes(signature(896, edge: 256)))
        #expect(BlazeFaceDecoder.recognizes(signature(2304, edge: 192)))
        #expect(!BlazeFaceDecoder.recognizes(signature(2304, edge: 128)))
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
