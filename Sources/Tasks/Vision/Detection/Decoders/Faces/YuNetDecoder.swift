import Glibc
import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for YuNet, OpenCV's detector of faces.
///
/// Shapes: for each of the strides 8, 16 and 32, in every cell, the probability of a face `[1, cells, 1]`, the
/// objectness `[1, cells, 1]`, a box `[1, cells, 4]` and five points `[1, cells, 10]`, in units of the stride. The
/// points are the right eye, the left eye, the tip of the nose, and the right and the left corner of the mouth, as the
/// person has them.
///
///     confidence = √(face × objectness),  center = cell + [x, y],  size = exp([w, h]),  point = cell + [x, y]
///
/// Source: https://github.com/opencv/opencv (`modules/objdetect/src/face_detect.cpp`)
package struct YuNetDecoder: ObjectDecoder {
    package static let name = DecoderName.yunet
    package static let summary =
        "for strides 8, 16, 32: faces and objectness [1, cells, 1], boxes [1, cells, 4], points [1, cells, 10]"
    package static var customaryConfidence: Float? { 0.6 }
    package static var customaryLabels: Labels? { .face }

    private static let extents = [1, 1, 4, 10]

    private let outputs: FaceGrids

    /// Faces and objectness are told apart by their order. Exchanged, they give the same confidence.
    private static func outputs(_ signature: DetectorSignature) -> FaceGrids? {
        FaceGrids(signature, extents: extents, strides: [8, 16, 32], anchorCount: 1)
    }

    package static func recognizes(_ signature: DetectorSignature) -> Bool { outputs(signature) != nil }
    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool { recognizes(signature) }
    package static func classCount(of signature: DetectorSignature) -> Int? { 1 }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        .letterboxed(to: size, as: .yolox, color: .black, scale: 1, .bgr)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let outputs = Self.outputs(signature) else {
            throw Self.refusal(of: signature, "twelve outputs: \(Self.summary)")
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
                of: grid, in: tensors, inputSize, extents: Self.extents, anchorCount: 1, Self.self)
            let (boxes, points) = (arrays[2], arrays[3])
            let (unit, columns) = (SIMD2(repeating: Float(grid.stride)), inputSize.width / grid.stride)
            for cell in arrays[0].indices {
                let score = (min(max(arrays[0][cell], 0), 1) * min(max(arrays[1][cell], 0), 1)).squareRoot()
                guard score >= confidence else { continue }
                let corner = SIMD2(cell: cell, columns: columns)
                let factor = unit / size
                let middle = (corner + boxes.pair(at: cell * 4)) * factor
                let width = exp(boxes[cell * 4 + 2]) * factor.x
                let height = exp(boxes[cell * 4 + 3]) * factor.y
                var candidate = ObjectCandidate(
                    centerX: middle.x, centerY: middle.y, width: width, height: height, confidence: score,
                    classIndex: 0, scores: [])
                candidate.points = (0..<5).map { point in
                    (corner + points.pair(at: cell * 10 + 2 * point)) * factor
                }
                found.append(candidate)
            }
        }
        return found
    }
}
