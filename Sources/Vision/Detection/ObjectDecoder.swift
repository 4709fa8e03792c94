import Images
import Inference
import Platform
import Tensors

/// Reads boxes out of the outputs of one family of detectors.
///
/// A decoder is one file in `Detection/Decoders` and a case of ``DecoderName``.
package protocol ObjectDecoder: Sendable {
    /// The name in options and sidecar files.
    static var name: DecoderName { get }
    /// What the outputs are, in one line.
    static var summary: String { get }
    /// Whether the network suppresses overlapping boxes itself.
    var isSuppressed: Bool { get }
    /// Whether outputs have no axis of the batch, so that pictures run one at a time.
    static var takesSinglePictures: Bool { get }

    /// Whether outputs look like this family's, so that nobody needs to name it.
    static func recognizes(_ signature: DetectorSignature) -> Bool

    /// The steps from picture to numbers that the family is commonly trained with, where nothing says others.
    static func customaryPreprocessing(to size: ImageSize) -> Preprocessing

    /// - Throws: ``ApusError/usage(_:)`` when the outputs are not this family's.
    init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError)

    /// The boxes of one picture whose confidence is at least `confidence`.
    ///
    /// - Parameters:
    ///   - outputs: In the network's order; the first axis, of the batch, has extent 1.
    ///   - inputSize: The width and height of the numbers that the network was given.
    /// - Throws: ``RecordError`` when the outputs have other extents than expected.
    func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate]
}

extension ObjectDecoder {
    package var isSuppressed: Bool { false }
    package static var takesSinglePictures: Bool { false }

    /// The refusal of a model whose outputs are others.
    package static func refusal(of signature: DetectorSignature, _ expected: String) -> ApusError {
        let outputs = signature.outputs.map { output in
            let extents = output.shape?.map { $0.map(String.init) ?? "?" }.joined(separator: ", ")
            return "\"\(output.name)\" [\(extents ?? "…")]"
        }
        return .usage(
            "\(signature.model): decoder \(name.rawValue) takes \(expected), not \(outputs.joined(separator: ", "))")
    }

    /// The error of outputs that are not as declared.
    static func mismatch(_ message: String) -> RecordError {
        RecordError(stage: "predict", code: "shape", message: "decoder \(name.rawValue): \(message)")
    }
}

extension Preprocessing {
    /// Inside the size with a border around it, as detectors of the YOLO family are trained and run: by OpenCV's linear
    /// interpolation.
    static func letterboxed(
        to size: ImageSize, as letterbox: Letterbox, color: Color = .gray, scale: Float, _ order: ChannelOrder = .rgb
    ) -> Preprocessing {
        var steps = Preprocessing(.fit, to: size, filter: .linear, scale: scale, channelOrder: order)
        steps.setResizing(.fit, to: size, color: color, letterbox: letterbox)
        return steps
    }
}
