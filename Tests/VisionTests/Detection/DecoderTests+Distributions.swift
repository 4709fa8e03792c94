import Apus
import Foundation
import Graphs
import Images
import Tensors
import Testing

/// Numbers by a formula, whose boxes NumPy code after the makers' gives.
extension DecoderTests {
    typealias Expected = (edges: [Float], confidence: Float, index: Int)

    /// `sin(i · factor + shift)` for i from 0.
    private func wave(_ count: Int, _ factor: Double, _ shift: Double) -> [Double] {
        (0..<count).map { sin(Double($0) * factor + shift) }
    }

    private func expect(_ found: [ObjectCandidate], _ expected: [Expected]) {
        #expect(found.count == expected.count)
        for (found, wanted) in zip(found, expected) {
            for (edge, other) in zip([found.left, found.top, found.right, found.bottom], wanted.edges) {
                #expect(abs(edge - other) < 2e-5)
            }
            #expect(abs(found.confidence - wanted.confidence) < 2e-6 && found.classIndex == wanted.index)
        }
    }

    /// Scores of 3 classes and distributions of 8 bins for each cell.
    private func nanoDetRows(_ cells: Int) -> (scores: [Float], distributions: [Float]) {
        (
            wave(cells * 3, 1.3, 0).map { Float(($0 + 1) / 2) },
            wave(cells * 32, 0.7, 0.2).map { Float(2 * $0) }
        )
    }

    private func joined(_ rows: (scores: [Float], distributions: [Float]), _ cells: Int) throws -> Tensor {
        var numbers: [Float] = []
        for cell in 0..<cells {
            numbers += rows.scores[cell * 3..<cell * 3 + 3]
            numbers += rows.distributions[cell * 32..<cell * 32 + 32]
        }
        return try Tensor(numbers, shape: [1, cells, 35])
    }

    @Test("NanoDet-Plus: distances from the corners of cells, and a box for each likely class")
    func nanoDetPlus() throws {
        // The stride 64 has a cell although it does not divide the height.
        let cells = 32 + 8 + 2 + 1
        let signature = signature([("output", [1, cells, 35])])
        #expect(try decoder(of: signature) == NanoDetDecoder.self)
        #expect(NanoDetDecoder.classCount(of: signature) == 3)
        let decoder = try NanoDetDecoder(signature, DetectionConfiguration())
        let found = try decoder.candidates(
            in: [joined(nanoDetRows(cells), cells)], inputSize: Self.size, above: 0.97)
        #expect(found.count == 15)
        expect(
            NonMaximumSuppression(threshold: 0.6)(found),
            [
                ([0.000000, 0.000000, 1.000000, 1.000000], 0.999364, 2),
                ([0.159203, 0.000000, 1.000000, 1.000000], 0.999342, 0),
                ([0.227896, 0.000000, 1.000000, 1.000000], 0.999319, 1),
                ([0.201841, 0.000000, 0.637508, 0.995652], 0.999295, 2),
                ([0.087397, 0.000000, 0.598716, 0.926355], 0.999272, 0),
                ([0.127594, 0.000000, 0.788310, 0.734778], 0.993314, 1),
                ([0.610873, 0.000000, 1.000000, 1.000000], 0.993241, 0),
                ([0.008487, 0.188673, 0.779193, 1.000000], 0.982134, 1),
                ([0.000000, 0.000000, 0.485750, 1.000000], 0.981779, 1),
            ])
    }

    @Test("NanoDet before Plus: distances from the middles of cells, in one output or in six", arguments: [1, 6])
    func nanoDetV0(outputCount: Int) throws {
        let grids = [32, 8, 2]
        let cells = grids.reduce(0, +)
        let rows = nanoDetRows(cells)
        var made: DetectorSignature
        var tensors: [Tensor]
        if outputCount == 1 {
            made = signature([("output", [1, cells, 35])])
            // YOLOX has the same shape.
            #expect(try decoder(of: made) == YOLOXDecoder.self)
            made = signature([("cls", [1, cells, 35])])
            tensors = [try joined(rows, cells)]
        } else {
            made = signature([3, 32].flatMap { extent in grids.map { ("o\(extent)-\($0)", [1, $0, extent]) } })
            #expect(try decoder(of: made) == NanoDetV0Decoder.self)
            #expect(NanoDetV0Decoder.isToldByShapes(made))
            tensors = []
            for (numbers, extent) in [(rows.scores, 3), (rows.distributions, 32)] {
                var start = 0
                for count in grids {
                    let part = Array(numbers[start * extent..<(start + count) * extent])
                    tensors.append(try Tensor(part, shape: [1, count, extent]))
                    start += count
                }
            }
        }
        let decoder = try NanoDetV0Decoder(made, DetectionConfiguration())
        let found = try decoder.candidates(in: tensors, inputSize: Self.size, above: 0.97)
        #expect(found.count == 14)
        expect(
            NonMaximumSuppression(threshold: 0.6)(found),
            [
                ([0.000000, 0.000000, 1.000000, 1.000000], 0.999364, 2),
                ([0.221703, 0.000000, 1.000000, 1.000000], 0.999342, 0),
                ([0.290396, 0.000000, 1.000000, 1.000000], 0.999319, 1),
                ([0.264341, 0.026637, 0.700008, 1.000000], 0.999295, 2),
                ([0.149897, 0.000000, 0.661216, 1.000000], 0.999272, 0),
                ([0.673373, 0.000000, 1.000000, 1.000000], 0.993241, 0),
                ([0.070987, 0.313673, 0.841693, 1.000000], 0.982134, 1),
                ([0.000000, 0.000000, 0.548250, 1.000000], 0.981779, 1),
            ])
    }

    @Test("CenterNet: peaks of maps, of logits or probabilities, channels first or last", arguments: 0..<4)
    func centerNet(form: Int) throws {
        let (rows, columns) = (8, 16)
        let isChannelsLast = form.isMultiple(of: 2)
        let logits = wave(3 * rows * columns, 1.1, 0.5).map { 3 * $0 - 2 }
        var middles: [Float] = logits.map { logit in Float(form < 2 ? logit : 1 / (1 + exp(-logit))) }
        // A probability of 8 bits may lie a little outside.
        if form >= 2, let least = middles.indices.min(by: { middles[$0] < middles[$1] }) { middles[least] = -0.002 }
        let sizes = wave(2 * rows * columns, 0.9, 0).map { Float(3 + 2 * $0) }
        let offsets = wave(2 * rows * columns, 0.6, 1).map { Float(($0 + 1) / 2) }
        func tensor(_ numbers: [Float], _ channels: Int) throws -> Tensor {
            guard isChannelsLast else { return try Tensor(numbers, shape: [1, channels, rows, columns]) }
            let area = rows * columns
            var moved: [Float] = []
            for cell in 0..<area {
                for channel in 0..<channels { moved.append(numbers[channel * area + cell]) }
            }
            return try Tensor(moved, shape: [1, rows, columns, channels])
        }
        let tensors = try [tensor(middles, 3), tensor(sizes, 2), tensor(offsets, 2)]
        var signature = signature([("hm", tensors[0].shape), ("wh", tensors[1].shape), ("reg", tensors[2].shape)])
        signature.isChannelsLast = isChannelsLast
        #expect(try decoder(of: signature) == CenterNetDecoder.self)
        #expect(CenterNetDecoder.isToldByNames(signature) && CenterNetDecoder.classCount(of: signature) == 3)
        let decoder = try CenterNetDecoder(signature, DetectionConfiguration())
        expect(
            try decoder.candidates(in: tensors, inputSize: Self.size, above: 0.73),
            [
                ([0.583576, 0.063137, 0.783666, 0.639737], 0.731055, 2),
                ([0.026900, -0.066545, 0.336131, 0.136031], 0.731000, 2),
                ([0.122932, 0.500375, 0.185479, 0.996204], 0.730925, 2),
                ([-0.017721, -0.133600, 0.267695, 0.276020], 0.730807, 0),
                ([0.570626, 0.367247, 0.679390, 0.989457], 0.730760, 1),
                ([0.523699, 0.878896, 0.730589, 1.021373], 0.730610, 2),
                ([0.558872, 0.064178, 0.656780, 0.680304], 0.730409, 0),
                ([-0.003308, 0.299456, 0.290555, 0.679762], 0.730334, 1),
            ])
    }
}
