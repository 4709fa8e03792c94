import Glibc
import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for RetinaFace, with priors of two sizes in each cell of the strides 8, 16 and 32.
///
/// Shapes: `[1, priors, 4]` offsets of the boxes, `[1, priors, 2]` probabilities of background and face, and `[1,
/// priors, 10]` five points: the left eye, the right eye, the tip of the nose, and the left and the right corner of the
/// mouth, as the picture shows them.
///
///     center = prior + 0.1 · [x, y] · size,  extent = size · exp(0.2 · [w, h]),  point = prior + 0.1 · [x, y] · size
///
/// Source: https://github.com/biubug6/Pytorch_Retinaface (`utils/box_utils.py`, `layers/functions/prior_box.py`)
package struct RetinaFaceDecoder: ObjectDecoder {
    package static let name = DecoderName.retinaface
    package static let summary = "boxes [1, priors, 4], probabilities [1, priors, 2], points [1, priors, 10]"
    package static var customaryConfidence: Float? { 0.6 }
    package static var customaryLabels: Labels? { .face }

    /// The strides with the sides of their priors, in pixels.
    private static let grids: [(stride: Int, sides: [Int])] = [(8, [16, 32]), (16, [64, 128]), (32, [256, 512])]

    private let boxes, scores, points: Int

    /// The number of priors in a picture of a size. Grids have one cell more where the stride does not divide the side.
    private static func priorCount(_ size: ImageSize) -> Int {
        grids.reduce(0) {
            $0 + ((size.width + $1.stride - 1) / $1.stride) * ((size.height + $1.stride - 1) / $1.stride)
                * $1.sides.count
        }
    }

    private static func positions(_ signature: DetectorSignature) -> (boxes: Int, scores: Int, points: Int)? {
        func position(_ extent: Int) -> Int? {
            signature.position { output in
                guard let shape = output.shape, shape.count == 3, shape[2] == extent else { return false }
                guard let count = shape[1], let size = signature.inputSize else { return true }
                return count == priorCount(size)
            }
        }
        guard signature.outputs.count == 3, let boxes = position(4), let scores = position(2), let points = position(10)
        else { return nil }
        return (boxes, scores, points)
    }

    package static func recognizes(_ signature: DetectorSignature) -> Bool { positions(signature) != nil }
    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool { recognizes(signature) }
    package static func classCount(of signature: DetectorSignature) -> Int? { 1 }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        Preprocessing(
            .fill, to: size, filter: .linear, scale: 1, mean: [104, 117, 123], standardDeviation: [1],
            channelOrder: .bgr)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let positions = Self.positions(signature) else {
            throw Self.refusal(of: signature, "three outputs: \(Self.summary)")
        }
        (boxes, scores, points) = positions
    }

    package func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        let count = Self.priorCount(inputSize)
        guard tensors.count == 3, tensors[boxes].elementCount == count * 4,
            tensors[scores].elementCount == count * 2, tensors[points].elementCount == count * 10
        else {
            throw Self.mismatch(
                "the outputs are \(tensors.map(\.shape)); a picture of \(inputSize) has \(count) priors")
        }
        let (boxes, scores) = (try tensors[boxes].finiteElements(), try tensors[scores].finiteElements())
        let points = try tensors[points].finiteElements()
        try Self.checkConfidences(scores)
        let size = SIMD2(Float(inputSize.width), Float(inputSize.height))
        var found: [ObjectCandidate] = []
        var prior = 0
        for (stride, sides) in Self.grids {
            let columns = (inputSize.width + stride - 1) / stride
            for cell in 0..<columns * ((inputSize.height + stride - 1) / stride) {
                let middle = (SIMD2(cell: cell, columns: columns) + 0.5) * (Float(stride) / size)
                for side in sides {
                    defer { prior += 1 }
                    guard scores[prior * 2 + 1] >= confidence else { continue }
                    let extent = Float(side) / size
                    let center = middle + boxes.pair(at: prior * 4) * extent * 0.1
                    var candidate = ObjectCandidate(
                        centerX: center.x, centerY: center.y, width: extent.x * exp(0.2 * boxes[prior * 4 + 2]),
                        height: extent.y * exp(0.2 * boxes[prior * 4 + 3]), confidence: scores[prior * 2 + 1],
                        classIndex: 0, scores: [])
                    candidate.points = (0..<5).map { point in
                        middle + points.pair(at: prior * 10 + 2 * point) * extent * 0.1
                    }
                    found.append(candidate)
                }
            }
        }
        return found
    }
}
