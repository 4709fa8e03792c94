import Apus
import Foundation
import Graphs
import Images
import Tensors
import Testing

extension DecoderTests {
    private static let strides = [8, 16, 32]

    private func cells(_ stride: Int) -> Int { (Self.size.width / stride) * (Self.size.height / stride) }

    private func expect(_ points: [SIMD2<Float>], _ expected: [SIMD2<Float>]) {
        #expect(points.count == expected.count)
        for (found, wanted) in zip(points, expected) {
            #expect(abs(found.x - wanted.x) < 1e-5 && abs(found.y - wanted.y) < 1e-5)
        }
    }

    /// Five points at the given place in pixels of the input.
    private func five(_ x: Float, _ y: Float) -> [SIMD2<Float>] {
        [SIMD2<Float>](repeating: SIMD2(x / Float(Self.size.width), y / Float(Self.size.height)), count: 5)
    }

    @Test("SCRFD: distances and points from the corner of a cell with two anchors")
    func scrfd() throws {
        let outputs = [1, 4, 10].flatMap { extent in
            Self.strides.map { ("\(extent)-\($0)", [cells($0) * 2, extent]) }
        }
        let signature = signature(outputs)
        #expect(try decoder(of: signature) == SCRFDDecoder.self)
        let decoder = try SCRFDDecoder(signature, DetectionConfiguration())
        var tensors = try outputs.map { try Tensor(zeros: .float32, shape: $0.1) }
        // Stride 16, row 1, column 2, second anchor: (32, 16) in pixels.
        let anchor = (1 * 4 + 2) * 2 + 1
        func filled(_ extent: Int, _ numbers: [Float]) throws -> Tensor {
            var values = [Float](repeating: 0, count: cells(16) * 2 * extent)
            values.replaceSubrange(anchor * extent..<(anchor + 1) * extent, with: numbers)
            return try Tensor(values, shape: [cells(16) * 2, extent])
        }
        tensors[1] = try filled(1, [0.8])
        tensors[4] = try filled(4, [1, 0.5, 0.5, 0.25])
        tensors[7] = try filled(10, [Float](repeating: 0.5, count: 10))
        let found = try decoder.candidates(in: tensors, inputSize: Self.size, above: 0.5)
        #expect(found.count == 1)
        expect(found[0], [16 / 64, 8 / 32, 40 / 64, 20 / 32], 0.8, class: 0)
        expect(found[0].points, five(40, 24))
        #expect(throws: RecordError.self) {
            try decoder.candidates(in: tensors, inputSize: ImageSize(width: 32, height: 32), above: 0.5)
        }
    }

    @Test("YuNet: the root of face times objectness, boxes in units of the stride")
    func yunet() throws {
        let outputs = [("cls", 1), ("obj", 1), ("bbox", 4), ("kps", 10)].flatMap { name, extent in
            Self.strides.map { ("\(name)_\($0)", [1, cells($0), extent]) }
        }
        let signature = signature(outputs)
        #expect(try decoder(of: signature) == YuNetDecoder.self)
        let decoder = try YuNetDecoder(signature, DetectionConfiguration())
        var tensors = try outputs.map { try Tensor(zeros: .float32, shape: $0.1) }
        // Stride 8, row 1, column 3.
        let cell = 1 * 8 + 3
        func filled(_ extent: Int, _ numbers: [Float]) throws -> Tensor {
            var values = [Float](repeating: 0, count: cells(8) * extent)
            values.replaceSubrange(cell * extent..<(cell + 1) * extent, with: numbers)
            return try Tensor(values, shape: [1, cells(8), extent])
        }
        tensors[0] = try filled(1, [0.81])
        // Beyond 1, it counts as 1.
        tensors[3] = try filled(1, [1.5])
        tensors[6] = try filled(4, [0.5, 0.5, Float(log(2.0)), 0])
        tensors[9] = try filled(10, [Float](repeating: 0.25, count: 10))
        let found = try decoder.candidates(in: tensors, inputSize: Self.size, above: 0.6)
        #expect(found.count == 1)
        expect(found[0], [20 / 64, 8 / 32, 36 / 64, 16 / 32], 0.9, class: 0)
        expect(found[0].points, five(26, 10))
    }

    @Test("CenterFace: maps with height before width, and y before x")
    func centerFace() throws {
        let (rows, columns) = (8, 16)
        let outputs = [1, 2, 2, 10].map { ("map\($0)", [1, $0, rows, columns]) }
        let signature = signature(outputs)
        #expect(try decoder(of: signature) == CenterFaceDecoder.self)
        let decoder = try CenterFaceDecoder(signature, DetectionConfiguration())
        let cell = 3 * columns + 5
        func map(_ numbers: [Float]) throws -> Tensor {
            var values = [Float](repeating: 0, count: numbers.count * rows * columns)
            for (channel, number) in numbers.enumerated() { values[channel * rows * columns + cell] = number }
            return try Tensor(values, shape: [1, numbers.count, rows, columns])
        }
        let points: [Float] = [0.5, 0.25]
        let tensors = [
            try map([0.7]), try map([Float(log(2.0)), Float(log(3.0))]), try map([0.25, 0.5]),
            try map([points, points, points, points, points].flatMap(\.self)),
        ]
        // Middle (4 · (5 + 0.5 + 0.5), 4 · (3 + 0.25 + 0.5)) = (24, 15), extents 12 × 8.
        let found = try decoder.candidates(in: tensors, inputSize: Self.size, above: 0.5)
        #expect(found.count == 1)
        expect(found[0], [18 / 64, 11 / 32, 30 / 64, 19 / 32], 0.7, class: 0)
        expect(found[0].points, five(18 + 0.25 * 12, 11 + 0.5 * 8))
    }

    @Test("RetinaFace: offsets from priors of two sizes, also where strides do not divide the picture")
    func retinaFace() throws {
        let size = ImageSize(width: 40, height: 24)
        // 5 × 3, 3 × 2 and 2 × 1 cells.
        let count = (15 + 6 + 2) * 2
        let signature = signature(
            [("loc", [1, count, 4]), ("conf", [1, count, 2]), ("landms", [1, count, 10])], size: size)
        #expect(try decoder(of: signature) == RetinaFaceDecoder.self)
        let decoder = try RetinaFaceDecoder(signature, DetectionConfiguration())
        // Stride 8, row 1, column 2, the larger prior: the middle (20, 12), 32 pixels.
        let prior = (1 * 5 + 2) * 2 + 1
        func filled(_ extent: Int, _ numbers: [Float]) throws -> Tensor {
            var values = [Float](repeating: 0, count: count * extent)
            values.replaceSubrange(prior * extent..<(prior + 1) * extent, with: numbers)
            return try Tensor(values, shape: [1, count, extent])
        }
        let tensors = [
            try filled(4, [1.25, 0, Float(log(0.5)) / 0.2, Float(log(0.25)) / 0.2]), try filled(2, [0.2, 0.8]),
            try filled(10, [Float](repeating: 0.625, count: 10)),
        ]
        let found = try decoder.candidates(in: tensors, inputSize: size, above: 0.6)
        #expect(found.count == 1)
        expect(found[0], [16 / 40, 8 / 24, 32 / 40, 16 / 24], 0.8, class: 0)
        expect(found[0].points, [SIMD2<Float>](repeating: SIMD2(22 / 40, 14 / 24), count: 5))
    }
}
