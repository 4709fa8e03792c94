import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for PicoDet without suppression in the file. Edges are means of distributions (distribution focal loss).
///
/// Shapes: for each of the strides 8, 16, 32 and 64, confidences `[1, cells, classes]`, and distributions `[1, cells, 4
/// · bins]` of the distances to left, top, right and bottom. Grids have one cell more where the stride does not divide
/// the side.
///
///     distance = stride × Σ bin · softmax(distribution),  from the middle of the cell
///
/// Sources: https://github.com/PaddlePaddle/PaddleDetection (`deploy/python/picodet_postprocess.py`),
/// https://github.com/RapidAI/RapidLayout
package struct PicoDetDecoder: ObjectDecoder {
    package static let name = DecoderName.picodet
    package static let summary =
        "for strides 8, 16, 32, 64: confidences [1, cells, classes], distributions [1, cells, 4 · bins]"
    package static var customaryConfidence: Float? { 0.5 }

    private static let strides = [8, 16, 32, 64]

    /// The numbers of one grid, by position among the outputs.
    private struct Grid: Sendable {
        let stride, scores, distributions: Int
    }

    private let grids: [Grid]

    private static func extents(_ size: ImageSize, _ stride: Int) -> (columns: Int, rows: Int) {
        ((size.width + stride - 1) / stride, (size.height + stride - 1) / stride)
    }

    private static func grids(_ signature: DetectorSignature) -> [Grid]? {
        let count = strides.count
        guard signature.outputs.count == 2 * count, let size = signature.inputSize else { return nil }
        let shapes = signature.outputs.compactMap { $0.shape?.count == 3 ? $0.shape : nil }
        guard shapes.count == 2 * count, let classes = shapes[0][2], let numbers = shapes[count][2],
            numbers.isMultiple(of: 4), numbers >= 8, classes >= 1
        else { return nil }
        for (index, stride) in strides.enumerated() {
            let (columns, rows) = extents(size, stride)
            guard shapes[index] == [shapes[index][0], columns * rows, classes],
                shapes[count + index] == [shapes[count + index][0], columns * rows, numbers]
            else { return nil }
        }
        return strides.enumerated().map { Grid(stride: $1, scores: $0, distributions: count + $0) }
    }

    package static func recognizes(_ signature: DetectorSignature) -> Bool { grids(signature) != nil }
    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool { recognizes(signature) }

    package static func classCount(of signature: DetectorSignature) -> Int? {
        recognizes(signature) ? signature.outputs[0].shape?.last ?? nil : nil
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        // As layout models want it: the numbers of red, green and blue, applied to blue, green and red.
        Preprocessing(
            .fill, to: size, filter: .linear, scale: 1 / 255, mean: Preprocessing.imageNetMean.reversed(),
            standardDeviation: Preprocessing.imageNetDeviation.reversed(), channelOrder: .bgr)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let grids = Self.grids(signature) else {
            throw Self.refusal(of: signature, "eight outputs: \(Self.summary)")
        }
        self.grids = grids
    }

    package func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard tensors.count == 2 * grids.count else { throw Self.mismatch("there are \(tensors.count) outputs") }
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        var found: [ObjectCandidate] = []
        for grid in grids {
            let (columns, rows) = Self.extents(inputSize, grid.stride)
            let (scores, numbers) = (tensors[grid.scores], tensors[grid.distributions])
            guard scores.shape.count == 3, numbers.shape.count == 3, scores.shape[0] == 1, numbers.shape[0] == 1,
                scores.shape[1] == columns * rows,
                numbers.shape[1] == columns * rows, numbers.shape[2].isMultiple(of: 4), numbers.shape[2] > 0
            else { throw Self.mismatch("stride \(grid.stride) has \(scores.shape) and \(numbers.shape)") }
            let (classes, bins) = (scores.shape[2], numbers.shape[2] / 4)
            let (confidences, distributions) = (try scores.finiteElements(), try numbers.finiteElements())
            try Self.checkConfidences(confidences)
            for cell in 0..<columns * rows {
                let row = Array(confidences[cell * classes..<(cell + 1) * classes])
                guard let best = ObjectCandidate.best(row), best.score >= confidence else { continue }
                let distances = (0..<4).map { side in
                    let start = (cell * 4 + side) * bins
                    return DistributedDistance.mean(distributions[start..<start + bins]) * Float(grid.stride)
                }
                let x = (Float(cell % columns) + 0.5) * Float(grid.stride)
                let y = (Float(cell / columns) + 0.5) * Float(grid.stride)
                found.append(
                    ObjectCandidate(
                        left: (x - distances[0]) / width, top: (y - distances[1]) / height,
                        right: (x + distances[2]) / width, bottom: (y + distances[3]) / height,
                        confidence: best.score, classIndex: best.index, scores: row))
            }
        }
        return found
    }
}
