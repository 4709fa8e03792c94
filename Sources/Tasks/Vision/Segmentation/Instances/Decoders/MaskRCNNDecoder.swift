import Images
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// The decoder for Mask R-CNN: boxes, labels and scores as ``TorchvisionDecoder`` reads them, and masks with the
/// probability that a pixel belongs to the object.
///
/// Shapes of masks: `[n, 1, h, w]`, of the box of each object (28 × 28, as in ONNX's model zoo), or of the input, where
/// the network puts them into the picture itself, as torchvision's exports do. A pixel belongs to the object where its
/// probability is above ½.
package struct MaskRCNNDecoder: InstanceDecoder {
    package static let name = "mask-rcnn"

    package let classCount: Int? = nil

    private let outputs: TorchvisionOutputs
    private let masks: Int

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        TorchvisionOutputs(signature)?.masks != nil
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        TorchvisionDecoder.customaryPreprocessing(to: size)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let outputs = TorchvisionOutputs(signature, configuration), let masks = outputs.masks else {
            throw signature.refusal(decoder: Self.name, "boxes [n, 4], labels [n], scores [n] and masks [n, 1, h, w]")
        }
        (self.outputs, self.masks) = (outputs, masks)
    }

    package func instances(
        in tensors: [Tensor], _ question: InstanceQuestion
    ) throws -> [(ObjectCandidate, RunLengths)] {
        let found = try outputs.candidates(in: tensors, inputSize: question.inputSize, above: question.confidence)
        let count = tensors[outputs.scores].elementCount
        guard tensors.indices.contains(masks), tensors[masks].shape.count == 4, tensors[masks].shape[1] == 1,
            tensors[masks].shape[0] == count
        else {
            throw RecordError(
                stage: "predict", code: "shape",
                message: "decoder \(Self.name): masks are \(tensors.last?.shape ?? []), and there are \(count) scores")
        }
        let extent = ImageSize(width: tensors[masks].shape[3], height: tensors[masks].shape[2])
        guard extent.width > 0, extent.height > 0 else { return [] }
        let ranked = found.enumerated().sorted {
            ($1.element.candidate.confidence, $0.offset) < ($0.element.candidate.confidence, $1.offset)
        }
        return try ranked.prefix(question.suppression.maximumCount).map { _, entry in
            let slice = try tensors[masks].sliced(axis: 0, entry.position..<entry.position + 1)
            let mask = ObjectMask(try slice.finiteElements(), extent)
            let runs =
                extent == question.inputSize
                ? mask.placed(around: entry.candidate, question) : mask.pasted(into: entry.candidate, question)
            return (entry.candidate, runs)
        }
    }
}
