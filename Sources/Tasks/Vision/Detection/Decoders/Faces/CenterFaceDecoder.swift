import Glibc
import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for CenterFace.
///
/// Shapes: maps with a fourth of the input's extents: the probability of a middle `[1, 1, h, w]`, the logarithms of
/// height and width `[1, 2, h, w]`, the offset of the middle, y and x `[1, 2, h, w]`, and five points, y and x
/// `[1, 10, h, w]`. The points are the left eye, the right eye, the tip of the nose, and the left and the right corner
/// of the mouth, as the picture shows them.
///
///     extent = 4 · exp(scale),  middle = 4 · (cell + offset + ½),  point = corner + place · extent
///
/// A box begins inside the input, and ends inside it.
/// Source: https://github.com/Star-Clouds/CenterFace (`prj-python/centerface.py`)
package struct CenterFaceDecoder: ObjectDecoder {
    package static let name = DecoderName.centerface
    package static let summary =
        "maps [1, 1, h, w], [1, 2, h, w], [1, 2, h, w] and [1, 10, h, w] of middles, extents, offsets, points"
    package static var customaryConfidence: Float? { 0.35 }
    package static var customaryLabels: Labels? { .face }

    private static let stride = 4
    private static let channels = [1, 2, 2, 10]

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        signature.outputs.count == channels.count
            && zip(signature.outputs, channels).allSatisfy { output, count in
                output.shape.map { $0.count == 4 && $0[1] == count } ?? false
            }
    }

    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool { recognizes(signature) }
    package static func classCount(of signature: DetectorSignature) -> Int? { 1 }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        Preprocessing(.fill, to: size, filter: .linear, scale: 1)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard Self.recognizes(signature) else { throw Self.refusal(of: signature, "four outputs: \(Self.summary)") }
    }

    package func candidates(
        in tensors: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard tensors.count == Self.channels.count, tensors[0].shape.count == 4, tensors[0].shape[0] == 1 else {
            throw Self.mismatch("the outputs are \(tensors.map(\.shape))")
        }
        let (rows, columns) = (tensors[0].shape[2], tensors[0].shape[3])
        for (tensor, count) in zip(tensors, Self.channels) where tensor.shape != [1, count, rows, columns] {
            throw Self.mismatch("a map is \(tensor.shape), not \([1, count, rows, columns])")
        }
        var maps: [[Float]] = []
        for tensor in tensors { maps.append(try tensor.finiteElements()) }
        try Self.checkConfidences(maps[0])
        let (unit, area) = (Float(Self.stride), rows * columns)
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        var found: [ObjectCandidate] = []
        for cell in 0..<area where maps[0][cell] >= confidence {
            let extent = SIMD2(exp(maps[1][area + cell]), exp(maps[1][cell])) * unit
            let place = SIMD2(Float(cell % columns), Float(cell / columns))
            let middle = (place + SIMD2(maps[2][area + cell], maps[2][cell]) + 0.5) * unit
            let corner = SIMD2(
                min(max(middle.x - extent.x / 2, 0), width), min(max(middle.y - extent.y / 2, 0), height))
            var candidate = ObjectCandidate(
                left: corner.x / width, top: corner.y / height, right: min(corner.x + extent.x, width) / width,
                bottom: min(corner.y + extent.y, height) / height, confidence: maps[0][cell], classIndex: 0)
            candidate.points = (0..<5).map { point in
                let offset = SIMD2(maps[3][(2 * point + 1) * area + cell], maps[3][2 * point * area + cell])
                return (corner + offset * extent) / SIMD2(width, height)
            }
            if candidate.isSound { found.append(candidate) }
        }
        return found
    }
}
