import Images
import Models
import Platform
import Preparation
import Tensors

/// A decoder, which reads boxes from the outputs of one family of detectors.
///
/// A decoder is one file in `Detection/Decoders` and a case of ``DecoderName``.
package protocol ObjectDecoder: Sendable {
    /// The name in options and sidecar files.
    static var name: DecoderName { get }
    /// A description of the outputs in one line.
    static var summary: String { get }
    /// Whether the network suppresses overlapping boxes itself.
    var isSuppressed: Bool { get }
    /// Whether the outputs have no axis of the batch, so that pictures run one at a time.
    static var takesSinglePictures: Bool { get }
    /// Whether boxes are turned.
    static var isRotated: Bool { get }

    /// The least confidence of the family, where it is not that of most.
    static var customaryConfidence: Float? { get }
    /// The least confidence for the network that the decoder reads, where networks of a family differ.
    var customaryConfidence: Float? { get }
    /// The overlap up to which boxes are kept, where it is not that of most.
    static var customaryOverlap: Float? { get }
    /// The overlap from which boxes are taken for one by their weighted mean (``NonMaximumSuppression/weighted(_:)``);
    /// nil where only the best is kept.
    static var customaryWeightedOverlap: Float? { get }

    /// Whether the outputs look like those of this family, so that it need not be named.
    static func recognizes(_ signature: DetectorSignature) -> Bool

    /// Whether the names of the outputs are those of this family, beside their shapes.
    static func isToldByNames(_ signature: DetectorSignature) -> Bool

    /// Whether the shapes of the outputs are so particular that those of no other family are like them.
    static func isToldByShapes(_ signature: DetectorSignature) -> Bool

    /// Whether the last operators of a network are those of this family, where shapes alone do not tell it.
    static func isToldByHead(_ signature: DetectorSignature) -> Bool

    /// The number of classes of outputs that look like those of this family; nil when shapes do not tell it.
    static func classCount(of signature: DetectorSignature) -> Int?

    /// The names of classes that are the same in the whole family; nil where the model gives them.
    static var customaryLabels: Labels? { get }

    /// The steps from picture to numbers with which the family is usually trained, for models that give none.
    static func customaryPreprocessing(to size: ImageSize) -> Preprocessing

    /// Makes a decoder for a detector.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the outputs are not this family's.
    init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError)

    /// The boxes of one picture whose confidence is at least `confidence`.
    ///
    /// - Parameters:
    ///   - outputs: The outputs in the network's order. The first axis is that of the batch and has extent 1.
    ///   - inputSize: The width and height of the network's input.
    /// - Throws: ``RecordError`` when the outputs have other extents than expected.
    func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate]
}

extension ObjectDecoder {
    package var isSuppressed: Bool { false }
    package static var takesSinglePictures: Bool { false }
    package static var isRotated: Bool { false }
    package static var customaryConfidence: Float? { nil }
    package var customaryConfidence: Float? { Self.customaryConfidence }
    package static var customaryLabels: Labels? { nil }
    package static var customaryOverlap: Float? { nil }
    package static var customaryWeightedOverlap: Float? { nil }
    package static func isToldByNames(_ signature: DetectorSignature) -> Bool { false }
    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool { false }
    package static func isToldByHead(_ signature: DetectorSignature) -> Bool { false }
    package static func classCount(of signature: DetectorSignature) -> Int? { nil }

    /// The error for a model whose outputs differ from what the family has.
    package static func refusal(of signature: DetectorSignature, _ expected: String) -> ApusError {
        signature.refusal(decoder: name.rawValue, expected)
    }

    /// - Throws: ``RecordError`` when confidences lie outside 0…1, so that the outputs are another family's.
    static func checkConfidences(_ numbers: some Sequence<Float>) throws(RecordError) {
        try RecordError.checkConfidences(numbers, "decoder \(name.rawValue)")
    }

    /// The error for outputs that are not as declared.
    static func mismatch(_ message: String) -> RecordError {
        RecordError(stage: "predict", code: "shape", message: "decoder \(name.rawValue): \(message)")
    }
}

extension Preprocessing {
    /// The steps that fit a picture into a size with a border around it, by OpenCV's linear interpolation, as detectors
    /// of the YOLO family are trained.
    static func letterboxed(
        to size: ImageSize, as letterbox: Letterbox, color: Color = .gray, scale: Float, _ order: ChannelOrder = .rgb
    ) -> Preprocessing {
        var steps = Preprocessing(.fit, to: size, filter: .linear, scale: scale, channelOrder: order)
        steps.setResizing(.fit, to: size, color: color, letterbox: letterbox)
        return steps
    }
}
