import Images
import Inference
import Models
import Platform
import Predicting
import Tensors

/// What a decoder of instances is asked about one picture.
package struct InstanceQuestion: Sendable {
    /// The width and height of the network's input.
    package let inputSize: ImageSize
    /// The size of the upright picture.
    package let imageSize: ImageSize
    /// The place of the picture in the input.
    package let placement: ImagePlacement
    /// Objects with less confidence are left out.
    package let confidence: Float
    /// Which of several overlapping boxes are kept.
    package let suppression: NonMaximumSuppression
}

/// A decoder, which reads objects with masks from the outputs of one family of networks.
///
/// A decoder is one file in `Instances/Decoders` and a line of ``Catalog/instanceDecoders``.
package protocol InstanceDecoder: Sendable {
    /// The name for people.
    static var name: String { get }

    /// The number of classes; nil where the shapes of the outputs do not tell it.
    var classCount: Int? { get }

    /// Whether the outputs look like those of this family.
    static func recognizes(_ signature: DetectorSignature) -> Bool

    /// The steps from picture to numbers with which the family is usually trained, for models that give none.
    static func customaryPreprocessing(to size: ImageSize) -> Preprocessing

    /// Makes a decoder for a network.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the outputs are not this family's.
    init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError)

    /// The objects of one picture, those with the most confidence first.
    ///
    /// - Parameter outputs: The outputs in the network's order, without the axis of the batch.
    /// - Throws: ``RecordError`` when the outputs have other extents than expected; `TensorError` when memory runs out.
    func instances(in outputs: [Tensor], _ question: InstanceQuestion) throws -> [(ObjectCandidate, RunLengths)]
}

extension Catalog {
    /// The decoders for objects with masks, in the order in which they are tried.
    package static let instanceDecoders: [any InstanceDecoder.Type] = [
        YOLOSegmentDecoder.self, YOLOSegmentEndToEndDecoder.self, MaskRCNNDecoder.self,
    ]
}
