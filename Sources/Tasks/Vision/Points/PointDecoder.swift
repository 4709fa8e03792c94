import Images
import Models
import Platform
import Preparation
import Tensors

/// A decoder, which reads points from the outputs of one family of networks.
///
/// A decoder is one file in `Pose/Decoders` or `Landmarks/Decoders` and a case of ``PointDecoderName``.
package protocol PointDecoder: Sendable {
    /// The name in options and sidecar files.
    static var name: PointDecoderName { get }
    /// A description of the outputs in one line.
    static var summary: String { get }
    /// The least confidence of things that are kept, unless something else is asked for.
    static var customaryConfidence: Float { get }
    /// Whether overlapping things are suppressed.
    static var isSuppressed: Bool { get }
    /// The names of the points and the lines between them, where nothing else gives them.
    var schema: PointSchema { get }

    /// Whether the outputs look like those of this family, so that it need not be named.
    static func recognizes(_ signature: DetectorSignature) -> Bool

    /// Whether the names of the outputs are those of this family, beside their shapes.
    static func isToldByNames(_ signature: DetectorSignature) -> Bool

    /// Whether the shapes of the outputs are so particular that those of no other family are like them.
    static func isToldByShapes(_ signature: DetectorSignature) -> Bool

    /// The steps from picture to numbers with which the family is usually trained, for models that give none.
    static func customaryPreprocessing(to size: ImageSize) -> Preprocessing?

    /// Makes a decoder for a network.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the outputs are not this family's.
    init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError)

    /// The points of the things in one picture.
    ///
    /// - Parameters:
    ///   - outputs: The outputs in the network's order, without the axis of the batch.
    ///   - inputSize: The width and height of the network's input.
    ///   - confidence: Things with less may be left out.
    /// - Throws: ``RecordError`` when the outputs have other extents than expected.
    func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup]
}

extension PointDecoder {
    package static var customaryConfidence: Float { 0 }
    package static var isSuppressed: Bool { false }
    package static func isToldByNames(_ signature: DetectorSignature) -> Bool { false }
    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool { false }
    package var schema: PointSchema { PointSchema() }

    /// The error for outputs that are not as declared.
    static func mismatch(_ message: String) -> RecordError {
        RecordError(stage: "predict", code: "shape", message: "decoder \(name.rawValue): \(message)")
    }

    /// The number of an output that has one confidence.
    static func confidence(_ outputs: [Tensor], _ position: Int) throws(RecordError) -> Float {
        let numbers = try numbers(outputs, position, 1)
        try RecordError.checkConfidences(numbers, "decoder \(name.rawValue)")
        return min(max(numbers[0], 0), 1)
    }

    /// The numbers of an output that must have `count` of them.
    static func numbers(_ outputs: [Tensor], _ position: Int, _ count: Int) throws(RecordError) -> [Float] {
        guard outputs.indices.contains(position), outputs[position].elementCount == count else {
            throw mismatch(
                "output \(position) is \(outputs.dropFirst(position).first?.shape ?? []), not \(count) numbers")
        }
        return try outputs[position].finiteElements()
    }
}

extension DetectorSignature {
    /// The numbers of an output for one picture; nil when its shape is not fixed.
    func count(_ position: Int) -> Int? {
        guard outputs.indices.contains(position), let shape = outputs[position].shape else { return nil }
        return shape.reduce(1 as Int?) { product, extent in
            guard let product, let extent else { return nil }
            let (result, overflow) = product.multipliedReportingOverflow(by: extent)
            return overflow ? nil : result
        }
    }

    /// The position of the first output with `wanted` numbers, except the positions in `others`.
    func position(ofCount wanted: Int, besides others: Int...) -> Int? {
        outputs.indices.first { count($0) == wanted && !others.contains($0) }
    }
}
