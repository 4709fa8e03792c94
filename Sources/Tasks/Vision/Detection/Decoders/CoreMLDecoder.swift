import Graphs
import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for Core ML's pipelines that end in non-maximum suppression. `confidence` has a row of classes for every
/// box, and `coordinates` its `[center x, center y, width, height]` in fractions of the input.
///
/// Where the file is read as a pipeline, the outputs of its network may have other names, and the boxes are not
/// suppressed yet.
///
/// Shapes: `[boxes, classes]` and `[boxes, 4]`.
/// Source: `NonMaximumSuppression.proto` of https://github.com/apple/coremltools
package struct CoreMLDecoder: ObjectDecoder {
    package static let name = DecoderName.coreml
    package static let summary = "confidence [boxes, classes] and coordinates [boxes, 4] of Core ML's suppression"
    package static let takesSinglePictures = true

    private let confidencePosition: Int
    private let coordinatesPosition: Int
    package let isSuppressed: Bool

    package static func recognizes(_ signature: DetectorSignature) -> Bool { positions(signature) != nil }

    private static func positions(_ signature: DetectorSignature) -> (confidence: Int, coordinates: Int)? {
        func position(_ name: String?, _ customary: String) -> Int? {
            signature.position { output in name.map { $0 == output.name } ?? (output.name.lowercased() == customary) }
        }
        guard let confidence = position(signature.boxOutputs?.confidence, "confidence"),
            let coordinates = position(signature.boxOutputs?.coordinates, "coordinates")
        else { return nil }
        return (confidence, coordinates)
    }

    package static func isToldByNames(_ signature: DetectorSignature) -> Bool { recognizes(signature) }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        Preprocessing(.fill, to: size, scale: 1 / 255)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let positions = Self.positions(signature) else {
            throw Self.refusal(of: signature, "outputs \"confidence\" and \"coordinates\"")
        }
        (confidencePosition, coordinatesPosition) = positions
        isSuppressed = signature.boxOutputs == nil
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard outputs.indices.contains(max(confidencePosition, coordinatesPosition)) else {
            throw Self.mismatch("there are \(outputs.count) outputs")
        }
        let (classes, boxes) = (outputs[confidencePosition], outputs[coordinatesPosition])
        if classes.elementCount == 0 || boxes.elementCount == 0 { return [] }
        // Further axes of extent 1 do not matter.
        guard let classCount = classes.shape.last, classCount > 0, boxes.elementCount.isMultiple(of: 4),
            classes.elementCount == boxes.elementCount / 4 * classCount
        else { throw Self.mismatch("confidence is \(classes.shape), and coordinates \(boxes.shape)") }
        let (scores, edges) = (try classes.finiteElements(), try boxes.finiteElements())
        try Self.checkConfidences(scores)
        var found: [ObjectCandidate] = []
        for box in 0..<edges.count / 4 {
            let row = Array(scores[box * classCount..<(box + 1) * classCount])
            guard let best = ObjectCandidate.best(row), best.score >= confidence else { continue }
            found.append(
                ObjectCandidate(
                    centerX: edges[box * 4], centerY: edges[box * 4 + 1], width: edges[box * 4 + 2],
                    height: edges[box * 4 + 3], confidence: best.score, classIndex: best.index, scores: row))
        }
        return found
    }
}
