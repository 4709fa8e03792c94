import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for MoveNet of a single person: Lightning and Thunder.
///
/// Shape: `[1, 1, 17, 3]`, y, x and the confidence of each point, in fractions of the input.
/// Source: https://www.tensorflow.org/hub/tutorials/movenet
package struct MoveNetDecoder: PointDecoder {
    package static let name = PointDecoderName.movenet
    package static let summary = "[1, 1, 17, 3]: y, x and the confidence of 17 points"
    package let schema = PointSchema.coco

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard signature.outputs.count == 1, let shape = signature.outputs[0].shape else { return false }
        return shape.count == 4 && shape.dropFirst() == [1, 17, 3]
    }

    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool { recognizes(signature) }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? {
        .letterboxed(to: size, as: .tensorflow, color: .black, scale: 1)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard Self.recognizes(signature) else {
            throw signature.refusal(decoder: Self.name.rawValue, "an output [1, 1, 17, 3]")
        }
    }

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        let numbers = try Self.numbers(outputs, 0, 17 * 3)
        return [PointGroup(try Self.points(numbers[...], Self.self), confidence: nil)]
    }

    /// The points of rows `[y, x, confidence]`.
    static func points(
        _ numbers: ArraySlice<Float>, _ decoder: any PointDecoder.Type
    ) throws(RecordError) -> [PointGroup.Point] {
        let starts = stride(from: numbers.startIndex, to: numbers.endIndex - 2, by: 3)
        try RecordError.checkConfidences(starts.lazy.map { numbers[$0 + 2] }, "decoder \(decoder.name.rawValue)")
        return starts.map { start in
            PointGroup.Point(x: numbers[start + 1], y: numbers[start], confidence: numbers[start + 2])
        }
    }
}

/// The decoder for MoveNet of several people.
///
/// Shape: `[1, people, 56]`, y, x and the confidence of 17 points, then top, left, bottom and right of the box, all in
/// fractions of the input, and the confidence of the person.
/// Source: https://github.com/tensorflow/tfjs-models (`pose-detection/src/movenet/detector.ts`)
package struct MoveNetMultiposeDecoder: PointDecoder {
    package static let name = PointDecoderName.movenetMultipose
    package static let summary = "[1, people, 56]: y, x and the confidence of 17 points, the box, its confidence"
    package static let customaryConfidence: Float = 0.25
    package let schema = PointSchema.coco

    private static let extent = 17 * 3 + 5

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard isRows(signature), let shape = signature.outputs[0].shape else { return false }
        return shape[1] == 6
    }

    private static func isRows(_ signature: DetectorSignature) -> Bool {
        guard signature.outputs.count == 1, let shape = signature.outputs[0].shape else { return false }
        return shape.count == 3 && shape[2] == extent
    }

    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool { recognizes(signature) }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? {
        MoveNetDecoder.customaryPreprocessing(to: size)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard Self.isRows(signature) else {
            throw signature.refusal(decoder: Self.name.rawValue, "an output [1, people, \(Self.extent)]")
        }
    }

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        guard let output = outputs.first, output.shape.count == 2, output.shape[1] == Self.extent else {
            throw Self.mismatch("the output is \(outputs.first?.shape ?? []), not [people, \(Self.extent)]")
        }
        let numbers = try output.finiteElements()
        var found: [(group: PointGroup, confidence: Float)] = []
        for start in stride(from: 0, to: numbers.count, by: Self.extent) {
            let score = numbers[start + Self.extent - 1]
            try RecordError.checkConfidences([score], "decoder \(Self.name.rawValue)")
            let points = try MoveNetDecoder.points(numbers[start..<start + 17 * 3], Self.self)
            guard score >= confidence else { continue }
            let edges = Array(numbers[start + 17 * 3..<start + 17 * 3 + 4])
            let box = ObjectCandidate(
                left: edges[1], top: edges[0], right: edges[3], bottom: edges[2], confidence: score, classIndex: 0)
            found.append((PointGroup(points, confidence: score, box: box), score))
        }
        return found.enumerated().sorted { first, second in
            (second.element.confidence, first.offset) < (first.element.confidence, second.offset)
        }.map(\.element.group)
    }
}
