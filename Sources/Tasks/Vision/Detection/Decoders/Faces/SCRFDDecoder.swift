import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for SCRFD, InsightFace's detector of faces.
///
/// Shapes: for each of the strides 8, 16 and 32, with two anchors in each cell, confidences `[anchors, 1]`, distances
/// `[anchors, 4]` to left, top, right and bottom, and five points `[anchors, 10]`, all in units of the stride from the
/// cell's upper left corner. The points are the left eye, the right eye, the tip of the nose, and the left and the
/// right corner of the mouth, as the picture shows them.
///
/// Source: https://github.com/deepinsight/insightface (`python-package/insightface/model_zoo/scrfd.py`)
package struct SCRFDDecoder: ObjectDecoder {
    package static let name = DecoderName.scrfd
    package static let summary =
        "for strides 8, 16, 32: confidences [anchors, 1], distances [anchors, 4], points [anchors, 10]"
    package static var customaryConfidence: Float? { 0.5 }
    package static var customaryLabels: Labels? { .face }

    private static let extents = [1, 4, 10]
    private static let (strides, anchorCount) = ([8, 16, 32], 2)

    private let outputs: FaceGrids

    private static func outputs(_ signature: DetectorSignature) -> FaceGrids? {
        FaceGrids(signature, extents: extents, strides: strides, anchorCount: anchorCount)
    }

    package static func recognizes(_ signature: DetectorSignature) -> Bool { outputs(signature) != nil }
    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool { recognizes(signature) }
    package static func classCount(of signature: DetectorSignature) -> Int? { 1 }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        var steps = Preprocessing.letterboxed(to: size, as: .yolox, color: .black, scale: 1 / 128)
        (steps.mean, steps.standardDeviation) = ([127.5 / 128], [1])
        return steps
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let outputs = Self.outputs(signature) else {
            throw Self.refusal(of: signature, "nine outputs: \(Self.summary)")
        }
        self.outputs = outputs
    }

    package func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        let size = SIMD2(Float(inputSize.width), Float(inputSize.height))
        var found: [ObjectCandidate] = []
        for grid in outputs.grids {
            let arrays = try outputs.arrays(
                of: grid, in: tensors, inputSize, extents: Self.extents, anchorCount: Self.anchorCount, Self.self)
            let (scores, edges, points) = (arrays[0], arrays[1], arrays[2])
            try Self.checkConfidences(scores)
            let (unit, columns) = (SIMD2(repeating: Float(grid.stride)), inputSize.width / grid.stride)
            for anchor in scores.indices where scores[anchor] >= confidence {
                let corner = SIMD2(cell: anchor / Self.anchorCount, columns: columns)
                let factor = unit / size
                let start = (corner - edges.pair(at: anchor * 4)) * factor
                let end = (corner + edges.pair(at: anchor * 4 + 2)) * factor
                var candidate = ObjectCandidate(
                    left: start.x, top: start.y, right: end.x, bottom: end.y, confidence: scores[anchor], classIndex: 0)
                candidate.points = (0..<5).map { point in
                    (corner + points.pair(at: anchor * 10 + 2 * point)) * factor
                }
                found.append(candidate)
            }
        }
        return found
    }
}
